//! Packages from repositories that are refused before a file of them is fetched, and what is said about it.

use serde_json::json;

use super::{COMMIT, Hub, page};

#[tokio::test]
async fn what_is_no_plain_file_inside_the_package_is_refused_before_anything_is_fetched() {
    let entry = page("name: w\ntype: app");
    for (path, mode) in [
        ("../../.bashrc", "100644"),
        ("nav/../../x", "100644"),
        ("/etc/passwd", "100644"),
        ("a\\b", "100644"),
        ("nav//x", "100644"),
        ("x\u{202e}y.md", "100644"),
        ("passwd", "120000"),
        ("vendor", "160000"),
        ("device", "060000"),
    ] {
        let hub = Hub::with(&[("string.md", "100644", &entry), (path, mode, "x")]).await;
        let refused = hub.refuses("github:ada/apps", "INVALID_PACKAGE").await;
        assert!(!refused.contains('\u{202e}') && refused.contains("othing was fetched"), "{path}: {refused}");
    }
    // A page alone may be no link either.
    let hub = Hub::with(&[("page.md", "120000", "/etc/passwd")]).await;
    assert!(hub.refuses("github:ada/apps/page.md", "INVALID_PACKAGE").await.contains("is a link"));
    for source in ["github:ada", "github:../apps", "github:ada/apps/../x", "github:ada/apps@", "github:a/b?c"]
    {
        let refused = hub.refuses(source, "INVALID_PARAMS").await;
        assert!(refused.contains("github:owner/repo[/path][@ref]"), "{refused}");
    }
}

#[tokio::test]
async fn what_is_too_large_or_listed_in_part_is_refused_before_anything_is_fetched() {
    let hub = Hub::new().await;
    let file = |path: &str, size: u64| json!({"path": path, "mode": "100644", "type": "blob", "size": size});
    let large =
        json!({"tree": [file("string.md", 10), file("a/string.md", 10), file("video.bin", 40 << 20)]});
    hub.list("HEAD", COMMIT, &large);
    let refused = hub.refuses("github:ada/apps", "INVALID_PACKAGE").await;
    assert!(refused.contains("at most 32 MB in 4096 files"), "{refused}");
    assert!(refused.ends_with("Install a package of it: /install github:ada/apps/a"), "{refused}");
    let many: Vec<_> = (0..4097).map(|n| file(&format!("{n}/string.md"), 1)).collect();
    hub.list("HEAD", COMMIT, &json!({"tree": many}));
    hub.refuses("github:ada/apps", "INVALID_PACKAGE").await;
    hub.list("HEAD", COMMIT, &json!({"tree": [file("string.md", 10)], "truncated": true}));
    let refused = hub.refuses("github:ada/apps/x", "INVALID_PACKAGE").await;
    assert!(refused.contains("more files than GitHub lists"), "{refused}");
    assert!(refused.ends_with("git clone https://github.com/ada/apps, then /install ./apps/x"), "{refused}");
    hub.list("HEAD", COMMIT, &json!({"message": "?"}));
    hub.refuses("github:ada/apps", "INVALID_PACKAGE").await;
    hub.list("HEAD", "<html>", &large);
    assert!(hub.refuses("github:ada/apps", "LOAD_ERROR").await.contains("no commit: \"<html>\""));
}

#[tokio::test]
async fn what_is_not_there_is_told_with_what_is() {
    let hub =
        Hub::with(&[("apps/rain/string.md", "100644", "x"), ("apps/sun/string.md", "100644", "x")]).await;
    let packages = "\n  Install a package of it: /install github:ada/apps/apps/rain\n  Install a package of it: /install github:ada/apps/apps/sun";
    let refused = hub.refuses("github:ada/apps", "INVALID_PACKAGE").await;
    assert!(
        refused.contains("github:ada/apps has no string.md.") && refused.ends_with(packages),
        "{refused}"
    );
    let refused = hub.refuses("github:ada/apps/snow", "NOT_FOUND").await;
    assert_eq!(refused, format!("ERROR(NOT_FOUND): github:ada/apps has no folder \"snow\".{packages}"));
    // A repository that is missing or private, and a reference that is not there.
    let refused = hub.refuses("github:eve/secret", "NOT_FOUND").await;
    assert!(refused.starts_with("ERROR(NOT_FOUND): GitHub shows no repository eve/secret.\n"), "{refused}");
    assert!(
        refused.contains("private") && refused.contains("git clone https://github.com/eve/secret"),
        "{refused}"
    );
    let missing = "/api/repos/ada/apps/commits/v9";
    hub.web.answer(missing, 422, &[], r#"{"message": "No commit found for SHA: v9"}"#);
    let refused = hub.refuses("github:ada/apps/apps/rain@v9", "NOT_FOUND").await;
    assert!(refused.contains("has no branch, tag or commit \"v9\""), "{refused}");
    assert!(refused.ends_with("Install its default branch: /install github:ada/apps/apps/rain"), "{refused}");
    hub.web.answer(missing, 409, &[], r#"{"message": "Git Repository is empty."}"#);
    assert!(hub.refuses("github:ada/apps@v9", "INVALID_PACKAGE").await.contains("ada/apps is empty"));
    // Nothing is fetched for a link, which would be a page and not a repository.
    let before = hub.web.seen().len();
    let refused = hub.refuses("--link github:ada/apps/apps/sun@v1", "INVALID_PARAMS").await;
    let page = hub.web.url("/raw/ada/apps/v1/apps/sun/string.md");
    assert!(refused.ends_with(&format!("Link its page: /install --link {page}")), "{refused}");
    assert_eq!(hub.web.seen().len(), before);
}

#[tokio::test]
async fn a_limit_says_when_it_ends_and_what_works_meanwhile() {
    let hub = Hub::new().await;
    let now = hub.world.runtime.now().as_millis() / 1000;
    let reset = (now + 23 * 60 - 5).to_string();
    let asked = "/api/repos/ada/apps/commits/HEAD";
    let used_up: &[(&str, &str)] = &[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", &reset)];
    for (status, headers, said) in [
        (403, used_up, ", in 23 min."),
        (429, used_up, ", in 23 min."),
        (403, &[("retry-after", "90")][..], ", in 2 min."),
        (429, &[], " for a while."),
    ] {
        hub.web.answer(asked, status, headers, "{}");
        let refused = hub.refuses("github:ada/apps", "LOAD_ERROR").await;
        let (first, hints) = refused.split_once('\n').unwrap();
        assert!(
            first.starts_with("ERROR(LOAD_ERROR): GitHub answers no more requests") && first.ends_with(said),
            "{refused}"
        );
        assert!(
            hints.contains("Then: /install github:ada/apps\n") && hints.contains("git clone"),
            "{refused}"
        );
    }
    // Refused for another reason: nothing is said about time.
    hub.web.answer(asked, 403, &[("x-ratelimit-remaining", "12"), ("x-ratelimit-reset", &reset)], "{}");
    let refused = hub.refuses("github:ada/apps", "AUTH_REQUIRED").await;
    assert!(refused.contains("HTTP 403") && !refused.contains("min."), "{refused}");
}
