//! Pages that stand in front of the one that was wanted: browser checks, captchas, consent walls.

use memchr::memmem;

/// How much of a page is looked at; these pages are short and say it early.
const LOOK_AT: usize = 64 << 10;

/// Texts that only such pages hold, and what to call them.
const SIGNS: [(&str, &str); 14] = [
    ("/cdn-cgi/challenge-platform/h/", "a browser check by Cloudflare"),
    ("cf-browser-verification", "a browser check by Cloudflare"),
    ("<title>Just a moment...</title>", "a browser check by Cloudflare"),
    ("<title>Attention Required! | Cloudflare</title>", "refused by Cloudflare"),
    ("captcha-delivery.com", "a captcha by DataDome"),
    ("px-captcha", "a captcha by HUMAN"),
    ("_Incapsula_Resource", "a browser check by Imperva"),
    ("<title>Access Denied</title>", "access denied by the site's firewall"),
    ("Request unsuccessful. Incapsula", "a browser check by Imperva"),
    ("unusual traffic from your computer network", "a captcha by Google"),
    ("g-recaptcha", "a captcha"),
    ("h-captcha", "a captcha"),
    ("cf-turnstile", "a captcha"),
    ("awsWafCookieDomainList", "a browser check by AWS"),
];

/// What blocks, if the body of a refusal says so.
pub(crate) fn by(body: &[u8]) -> Option<&'static str> {
    let start = &body[..body.len().min(LOOK_AT)];
    SIGNS.iter().find(|(sign, _)| memmem::find(start, sign.as_bytes()).is_some()).map(|(_, what)| *what)
}
