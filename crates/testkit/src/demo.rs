//! The demo API that the example apps call: a small library and a small shop, in memory, on loopback.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{delete, get, post};
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// Where the example apps look for it.
pub const PORT: u16 = 8765;
/// The one password of the shop.
const PASSWORD: &str = "demo";

const BOOKS: [(&str, &str, &str, u16); 6] = [
    ("b1", "The Time Machine", "H. G. Wells", 1895),
    ("b2", "Frankenstein", "Mary Shelley", 1818),
    ("b3", "Flatland", "Edwin A. Abbott", 1884),
    ("b4", "The War of the Worlds", "H. G. Wells", 1898),
    ("b5", "Walden", "Henry David Thoreau", 1854),
    ("b6", "소나기", "황순원", 1953),
];
/// A page as sites have them: the content, and much around it that nobody came to read.
const HOME: &str = r#"<!doctype html>
<html><head><title>The demo library</title><script>track()</script></head><body>
<nav><a href="/login">Log in</a> <a href="/basket">Basket</a></nav>
<main><article><h1>The demo library</h1>
<p>A small library on this machine. It has six books, which anybody may read about, and they all
stand on <a href="/books">the shelf</a>. Nothing here leaves your computer.</p>
<h2>Opening hours</h2>
<table><tr><th>Day</th><th>Hours</th></tr><tr><td>Monday to Friday</td><td>9 to 18</td></tr>
<tr><td>Saturday</td><td>10 to 14</td></tr></table>
<p style="display:none">Nobody is meant to see this line, and nobody does.</p></article></main>
<footer>Cookies, imprint, newsletter</footer></body></html>"#;
/// Prices are in cents.
const PRODUCTS: [(&str, &str, u64); 3] =
    [("p1", "Tea, 100 g", 450), ("p2", "Mug", 1200), ("p3", "Honey", 690)];

#[derive(Debug, Default)]
struct Shop {
    /// Baskets by the user's token: how many of each product.
    baskets: BTreeMap<String, BTreeMap<String, u64>>,
    orders: u64,
}

type Shared = State<Arc<Mutex<Shop>>>;

/// Serves until the listener fails or the task is dropped.
pub async fn serve(listener: TcpListener) -> std::io::Result<()> {
    let app = Router::new()
        .route("/", get(async || Html(HOME)))
        .route("/books", get(books))
        .route("/books/{id}", get(book))
        .route("/login", post(login))
        .route("/products", get(products))
        .route("/basket", get(basket).post(put))
        .route("/basket/{id}", delete(remove))
        .route("/orders", post(order))
        .with_state(Arc::default());
    axum::serve(listener, app).await
}

async fn books(Query(query): Query<BTreeMap<String, String>>) -> Json<Value> {
    let words = query.get("q").map(|words| words.to_lowercase()).unwrap_or_default();
    let found = BOOKS.iter().filter(|(_, title, author, _)| {
        title.to_lowercase().contains(&words) || author.to_lowercase().contains(&words)
    });
    Json(json!({ "books": found.map(book_json).collect::<Vec<_>>() }))
}

async fn book(Path(id): Path<String>) -> Response {
    match BOOKS.iter().find(|book| book.0 == id) {
        Some(book) => Json(book_json(book)).into_response(),
        None => failed(StatusCode::NOT_FOUND, "no such book"),
    }
}

fn book_json((id, title, author, year): &(&str, &str, &str, u16)) -> Value {
    json!({ "id": id, "title": title, "author": author, "year": year })
}

async fn login(Json(body): Json<Value>) -> Response {
    match (body["user"].as_str(), body["password"].as_str()) {
        (Some(user), Some(PASSWORD)) => {
            Json(json!({ "access_token": format!("token-of-{user}"), "user": user })).into_response()
        }
        _ => failed(StatusCode::UNAUTHORIZED, "wrong user or password"),
    }
}

async fn products() -> Json<Value> {
    let products = PRODUCTS.iter().map(|(id, name, price)| json!({ "id": id, "name": name, "price": price }));
    Json(json!({ "products": products.collect::<Vec<_>>() }))
}

async fn basket(State(shop): Shared, headers: HeaderMap) -> Response {
    with_basket(&shop, &headers, |_, basket| Ok(basket_json(basket)))
}

async fn put(State(shop): Shared, headers: HeaderMap, Json(body): Json<Value>) -> Response {
    with_basket(&shop, &headers, |_, basket| {
        let id = body["id"].as_str().filter(|id| PRODUCTS.iter().any(|product| product.0 == *id));
        let (Some(id), Some(count)) = (id, body["count"].as_u64()) else {
            return Err((StatusCode::BAD_REQUEST, "id and count name a product and a whole number"));
        };
        *basket.entry(id.to_owned()).or_default() += count;
        Ok(basket_json(basket))
    })
}

async fn remove(State(shop): Shared, headers: HeaderMap, Path(id): Path<String>) -> Response {
    with_basket(&shop, &headers, |_, basket| match basket.remove(&id) {
        Some(_) => Ok(basket_json(basket)),
        None => Err((StatusCode::NOT_FOUND, "not in the basket")),
    })
}

async fn order(State(shop): Shared, headers: HeaderMap) -> Response {
    with_basket(&shop, &headers, |orders, basket| {
        if basket.is_empty() {
            return Err((StatusCode::CONFLICT, "the basket is empty"));
        }
        *orders += 1;
        let total = basket_json(basket)["total"].take();
        basket.clear();
        Ok(json!({ "order": *orders, "total": total }))
    })
}

/// Works on the basket of the user whose token came with the request.
fn with_basket(
    shop: &Mutex<Shop>,
    headers: &HeaderMap,
    work: impl FnOnce(&mut u64, &mut BTreeMap<String, u64>) -> Result<Value, (StatusCode, &'static str)>,
) -> Response {
    let token = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let Some(token) = token.and_then(|value| value.strip_prefix("Bearer token-of-")) else {
        return failed(StatusCode::UNAUTHORIZED, "log in first");
    };
    let mut shop: MutexGuard<'_, Shop> = shop.lock().unwrap_or_else(PoisonError::into_inner);
    let Shop { baskets, orders } = &mut *shop;
    match work(orders, baskets.entry(token.to_owned()).or_default()) {
        Ok(value) => Json(value).into_response(),
        Err((status, message)) => failed(status, message),
    }
}

fn basket_json(basket: &BTreeMap<String, u64>) -> Value {
    let lines: Vec<(&str, &str, u64, u64)> = PRODUCTS
        .iter()
        .filter_map(|(id, name, price)| basket.get(*id).map(|count| (*id, *name, *count, count * price)))
        .collect();
    let total: u64 = lines.iter().map(|line| line.3).sum();
    let items: Vec<Value> = lines
        .iter()
        .map(|(id, name, count, price)| json!({ "id": id, "name": name, "count": count, "price": price }))
        .collect();
    json!({ "items": items, "count": items.len(), "total": total })
}

fn failed(status: StatusCode, message: &str) -> Response {
    (status, Json(json!({ "error": message }))).into_response()
}
