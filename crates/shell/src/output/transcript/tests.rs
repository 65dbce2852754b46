//! The renderer as tables, and against noise.

use proptest::prelude::*;

use super::*;

fn transcript() -> Transcript {
    Transcript::new(LogFiles { directory: "/nonexistent".into(), cap: 0 })
}

fn render(bytes: &[u8]) -> Output {
    let mut transcript = transcript();
    transcript.feed(bytes);
    transcript.take()
}

#[test]
fn a_person_would_see_this() {
    let long = "0123456789".repeat(50);
    let tabs = "a\t".repeat(200);
    let wide = "漢".repeat(300);
    let table: &[(&str, &str)] = &[
        ("plain\r\ntext\r\n", "plain\ntext\n"),
        ("\r\n\r\nblank lines first\r\n", "\n\nblank lines first\n"),
        ("\n", "\n"),
        ("no end", "no end"),
        ("trailing blanks  \r\n", "trailing blanks  \n"),
        ("a\tb\r\n\tc\r\n", "a\tb\n\tc\n"),
        (&long, &long),
        (&tabs, &tabs),
        (&wide, &wide),
        // colours, titles, links, clipboard, bracketed paste
        ("\x1b[1;31mred\x1b[0m\x1b[38;2;1;2;3m!\x1b[m", "red!"),
        ("\x1b]0;title\x07a\x1b]2;title\x1b\\b", "ab"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b]52;c;c2VjcmV0\x07x\x1b[?2004h\x1b[?2004l", "x"),
        ("\x1bP1;2q#0sixel\x1b\\x\x1b_apc\x1b\\y\x1b^pm\x1b\\z\x1bXsos\x1b\\w", "xyzw"),
        ("\x1b(B\x1b)0\x1b=\x1b>a\x1b[>4;2m\x1b[!p", "a"),
        // line drawing
        ("\x1b(0lqk\x1b(B q\r\n\x1b(0mqj\x1b(B", "┌─┐ q\n└─┘"),
        ("\x1b)0\x0eAx_é\x0fx\x0ex\x1b[!px", "A│ éx│x"),
        ("\x1b(0q\x1bcq\r\n", "q\n"),
        // progress
        ("10%\r50%\r100%\r\ndone\r\n", "100%\ndone\n"),
        ("loading...\rok\x1b[K\r\n", "ok\n"),
        ("abcdef\rxy\r\n", "xycdef\n"),
        ("ab\x08c\r\n", "ac\n"),
        ("one\r\ntwo\r\n\x1b[2A\x1b[2KONE\x1b[2B\r", "ONE\ntwo\n"),
        ("a\r\nb\r\nc\r\n\x1b[3F\x1b[Jnew\r\n", "new\n"),
        ("x\x1b[5Gy", "x   y"),
        ("abc\x1b[2D\x1b[P", "ac"),
        ("abc\x1b[2D\x1b[@", "a bc"),
        ("abc\x1b[3D\x1b[2X", "  c"),
        ("gone\x1b[2J\x1b[Hhere", "here"),
        // blanks that a program draws are background, those that it prints are text
        ("\x1b[2;1H~      \x1b[1;1Hfile   \x1b[2;1H       \r", "file\n"),
        ("\x1b[Hdrawn   \r\nprinted   \r\n", "drawn\nprinted   \n"),
        ("abc\r   \r\n", "\n"),
        ("\x1b[3;2Hthere", "\n\n there"),
        ("a\x1b7\r\nb\x1b8c", "ac\nb"),
        ("top\r\nlow\x1b[1;1H\x1b[Lnew", "new\ntop\nlow"),
        ("one\r\ntwo\r\nthree\x1b[2;1H\x1b[M", "one\nthree"),
        // the alternate screen is no output
        ("before\r\n\x1b[?1049h\x1b[Hdrawn\x1b[?1049lafter", "before\nafter"),
        // controls that mean nothing here
        ("bell\x07\x0e\x0f\x7f", "bell"),
        ("\u{9b}31mC1", "31mC1"),
        ("e\u{301}!", "e\u{301}!"),
        ("a\u{301}b\rx", "xb"),
        ("cut \x1b[31", "cut "),
        ("cut \x1b[31\x18off", "cut off"),
    ];
    for (input, expected) in table {
        assert_eq!(render(input.as_bytes()).head, *expected, "{input:?}");
    }
}

#[test]
fn what_is_no_text_is_said_to_be_binary() {
    let table: [(&[u8], &str, bool); 6] = [
        (b"plain", "plain", false),
        ("漢\u{fffd}".as_bytes(), "漢\u{fffd}", false),
        (b"a\0b", "ab", true),
        (b"a\xffb", "a\u{fffd}b", true),
        (b"\xe6\xbc\nb", "\u{fffd}\nb", true),
        (b"\xc0\xaf", "\u{fffd}\u{fffd}", true),
    ];
    for (input, expected, binary) in table {
        let output = render(input);
        assert_eq!((output.head.as_str(), output.binary), (expected, binary), "{input:?}");
    }
}

#[test]
fn what_was_returned_is_not_returned_again() {
    let mut transcript = transcript();
    let table = [
        ("name? ", "name? "),
        ("World\r\nhello World\r\n", "World\nhello World\n"),
        ("", ""),
        ("more", "more"),
        // Written over "more", of which one letter still stands.
        ("\r10%", "10%e"),
        ("\r90%", "90%e"),
        ("\r\nend\r\n", "end\n"),
    ];
    for (input, expected) in table {
        transcript.feed(input.as_bytes());
        assert_eq!(transcript.take().head, expected, "{input:?}");
    }
}

#[test]
fn only_programs_that_ask_get_answers() {
    let mut transcript = transcript();
    transcript.feed(b"ab\x1b[6n\x1b[c\x1b]11;?\x07");
    let expected = b"\x1b[1;3R\x1b[?6c\x1b]11;rgb:0000/0000/0000\x1b\\";
    assert_eq!(transcript.take_answers(), expected);
    transcript.feed(b"\x1b[31mred");
    assert!(transcript.take_answers().is_empty());
}

#[test]
fn live_text_adds_up_to_the_output() {
    let mut transcript = transcript();
    transcript.watch(true);
    transcript.feed(b"one\r\ntw");
    assert_eq!(transcript.take_live(), [Live::Text("one\n".into()), Live::Line("tw".into())]);
    transcript.feed(b"o\r\n");
    assert_eq!(transcript.take_live(), [Live::Text("two\n".into())]);
    transcript.feed(b"10%\r20%");
    assert_eq!(transcript.take_live(), [Live::Line("20%".into())]);
}

#[test]
fn a_control_that_the_parser_hands_over_is_not_shown() {
    let mut transcript = transcript();
    "a\u{7f}\u{85}b".chars().for_each(|glyph| transcript.screen.print(glyph));
    assert_eq!(transcript.take().head, "ab");
}

#[test]
fn an_endless_title_costs_no_memory() {
    let mut transcript = transcript();
    transcript.feed(b"\x1b]0;");
    for _ in 0..1000 {
        transcript.feed(&[b'x'; 4096]);
    }
    transcript.feed(b"\x07visible");
    assert_eq!(transcript.take().head, "visible");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_escape_ever_comes_out(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        let output = render(&bytes);
        let stray = |c: char| c.is_control() && c != '\n' && c != '\t';
        prop_assert!(!output.head.contains(stray), "{:?}", output.head);
    }

    #[test]
    fn sequences_of_all_kinds_do_not_crash(
        parts in prop::collection::vec(
            prop_oneof![
                "[a-z漢é\t\r\n\u{301}]{0,200}",
                r"\x1b\[[0-9;]{0,6}[A-HJKLMPSTX@`adfsu]",
                r"\x1b[78DEMc]",
                r"\x1b\[\?(1049|47|25)[hl]",
            ],
            0..40,
        )
    ) {
        let text: String = parts.concat();
        let output = render(text.as_bytes());
        let stray = |c: char| c.is_control() && c != '\n' && c != '\t';
        prop_assert!(!output.head.contains(stray), "{:?}", output.head);
    }

    #[test]
    fn reads_may_cut_anywhere(text in "[a-zé漢\t🦀\u{301}]{0,300}(\r\n[a-z\u{1b}\\[0-9;mK]{0,50}){0,5}", cut in 1usize..7) {
        let whole = render(text.as_bytes());
        let mut transcript = transcript();
        for piece in text.as_bytes().chunks(cut) {
            transcript.feed(piece);
        }
        prop_assert_eq!(transcript.take(), whole);
    }

    #[test]
    fn text_without_controls_is_returned_as_it_is(lines in prop::collection::vec("[ -~äß漢字🦀\t]{0,400}", 1..120)) {
        let text = lines.join("\n");
        let output = render(text.replace('\n', "\r\n").as_bytes());
        let seen = if output.omitted == 0 { output.head } else { return Ok(()) };
        prop_assert_eq!(seen, text);
    }
}
