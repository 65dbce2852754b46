//! Pages that stand in front of the one that was wanted: browser checks, captchas, consent walls.

use memchr::memmem;

/// How much of a page is looked at; these pages are short and say it early.
const LOOK_AT: usize = 64 << 10;

/// Texts that only such pages hold, and what to call them.
const SIGNS: [(&str, &str); 11] = [
    ("/cdn-cgi/challenge-platform/h/", "a browser check by Cloudflare"),
    ("cf-browser-verification", "a browser check by Cloudflare"),
    ("<title>Just a moment...</title>", "a browser check by Cloudflare"),
    ("<title>Attention Required! | Cloudflare</title>", "refused by Cloudflare"),
    ("captcha-delivery.com", "a captcha by DataDome"),
    ("px-captcha", "a captcha by HUMAN"),
    ("_Incapsula_Resource", "a browser check by Imperva"),
    ("Request unsuccessful. Incapsula", "a browser check by Imperva"),
    ("<title>Access Denied</title>", "access denied by the site's firewall"),
    ("unusual traffic from your computer network", "a captcha by Google"),
    ("awsWafCookieDomainList", "a browser check by AWS"),
];

/// Captchas, which contact forms have too: they block only where there is nothing else.
const CAPTCHAS: [&str; 3] = ["g-recaptcha", "h-captcha", "cf-turnstile"];

/// How much a page has besides what may block it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Besides {
    Something,
    Nothing,
}

/// What blocks, if the body says so.
pub(crate) fn by(body: &[u8], besides: Besides) -> Option<&'static str> {
    let start = &body[..body.len().min(LOOK_AT)];
    let holds = |sign: &str| memmem::find(start, sign.as_bytes()).is_some();
    let named = SIGNS.iter().find(|(sign, _)| holds(sign)).map(|(_, what)| *what);
    named.or_else(|| {
        let is_captcha = besides == Besides::Nothing && CAPTCHAS.iter().any(|sign| holds(sign));
        is_captcha.then_some("a captcha")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_captcha_blocks_only_an_empty_page() {
        let form = b"<form><div class='g-recaptcha'></div></form>";
        assert_eq!(by(form, Besides::Something), None);
        assert_eq!(by(form, Besides::Nothing), Some("a captcha"));
        let check = b"<title>Just a moment...</title>";
        assert_eq!(by(check, Besides::Something), Some("a browser check by Cloudflare"));
        assert_eq!(by(b"<title>Moments</title>", Besides::Nothing), None);
    }
}
