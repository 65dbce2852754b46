//! What every route has in common, written into the OpenAPI document: who gets in, and what the door answers.

use utoipa::openapi::path::{Operation, Parameter, ParameterBuilder, ParameterIn, PathItem};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{
    Components, Content, ObjectBuilder, OpenApi, Ref, RefOr, Required, Response, ResponseBuilder,
    SecurityRequirement, Type,
};

const TOKEN: &str = "token";

/// Answers of the door, before any route is asked.
const OF_THE_DOOR: &[(&str, &str)] = &[
    ("403", "a foreign `Host` or `Origin`, or a change that only a person may make"),
    ("426", "the caller is newer than the daemon, which is idle: restart it"),
    ("500", "a bug, or a disk that is full or broken"),
];
/// Answers of the door where it asks for the daemon's token.
const WITH_A_TOKEN: &[(&str, &str)] = &[("401", "no token, or a wrong one; not over the Unix socket")];
/// Answers of what reads bodies.
const TO_A_BODY: &[(&str, &str)] = &[
    ("400", "the body is not what the route takes"),
    ("408", "the body came too slowly"),
    ("413", "the body is too large"),
];
/// Answers of what takes bodies of one type only.
const TO_A_TYPE: &[(&str, &str)] = &[("415", "not the content type that the route takes")];
/// Answers of what reads names in an address, or the agent's.
const TO_A_NAME: &[(&str, &str)] = &[("400", "a malformed name, header or query"), ("404", "no such agent")];

/// Answers of what reads and writes files with a capability.
const TO_A_FILE: &[(&str, &str)] = &[
    ("400", "not a path"),
    ("401", "no capability, or one that has ended"),
    ("403", "not with this capability, or through a link, or not a file"),
    ("404", "no such file"),
    ("412", "it is not what the caller expects"),
];

/// Adds what the routes do not say each for itself. What one does say stays.
pub fn complete(api: &mut OpenApi) {
    add_schemes(api);
    for (path, item) in &mut api.paths.paths {
        for (method, operation) in operations(item) {
            operation.operation_id = Some(id(method, path));
            // Routes that are open to all, or take another secret, say so themselves; they take any type, too.
            let of_the_daemon = operation.security.is_none();
            // A post that needs no body may bring one all the same.
            let has_body = operation.request_body.is_some() || method == "post";
            let has_names = operation.parameters.as_ref().is_some_and(|parameters| !parameters.is_empty());
            let of_a_file = path.starts_with("/fs/");
            let sets = [
                // First, since it says more than the door does.
                (of_a_file, TO_A_FILE),
                (true, OF_THE_DOOR),
                (of_the_daemon, WITH_A_TOKEN),
                (has_body, TO_A_BODY),
                (has_body && of_the_daemon, TO_A_TYPE),
                (has_names && of_the_daemon, TO_A_NAME),
            ];
            sets.iter().filter(|(applies, _)| *applies).for_each(|(_, answers)| add(operation, answers));
            if of_a_file {
                operation.parameters.get_or_insert_default().push(RefOr::T(capability()));
            }
            if of_the_daemon {
                operation.security = Some(vec![SecurityRequirement::new(TOKEN, Vec::<String>::new())]);
            }
        }
        if let Some(head) = &mut item.head {
            forget_bodies(head);
        }
    }
}

fn add_schemes(api: &mut OpenApi) {
    let bearer = |what: &str| {
        let scheme = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some(what)).build();
        SecurityScheme::Http(scheme)
    };
    let components = api.components.get_or_insert_with(Components::new);
    components.add_security_scheme(TOKEN, bearer("the daemon's token, from `run/token` in its root"));
    components.add_security_scheme("capability", bearer("a capability for the file"));
    let in_address = ApiKey::Query(ApiKeyValue::with_description("cap", "the same, in the address"));
    components.add_security_scheme("capability_in_address", SecurityScheme::ApiKey(in_address));
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = (&'static str, &mut Operation)> {
    let methods = [
        ("get", &mut item.get),
        ("head", &mut item.head),
        ("put", &mut item.put),
        ("post", &mut item.post),
        ("delete", &mut item.delete),
    ];
    methods.into_iter().filter_map(|(method, operation)| Some((method, operation.as_mut()?)))
}

/// `get_sessions`, `delete_sessions_topic`: what no other operation is called.
fn id(method: &str, path: &str) -> String {
    let words = path.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    std::iter::once(method).chain(words).collect::<Vec<_>>().join("_")
}

fn add(operation: &mut Operation, answers: &[(&str, &str)]) {
    for (status, description) in answers {
        let known = operation.responses.responses.entry((*status).to_owned());
        known.or_insert_with(|| RefOr::T(error(description)));
    }
}

fn capability() -> Parameter {
    ParameterBuilder::new()
        .name("cap")
        .parameter_in(ParameterIn::Query)
        .required(Required::False)
        .description(Some("the capability, unless it is sent as `Authorization: Bearer`"))
        .schema(Some(ObjectBuilder::new().schema_type(Type::String).build()))
        .build()
}

fn error(description: &str) -> Response {
    let body = Content::new(Some(RefOr::Ref(Ref::from_schema_name("ErrorBody"))));
    ResponseBuilder::new().description(description).content("application/json", body).build()
}

/// An answer to `HEAD` never has one.
fn forget_bodies(operation: &mut Operation) {
    for response in operation.responses.responses.values_mut() {
        if let RefOr::T(response) = response {
            response.content.clear();
        }
    }
}
