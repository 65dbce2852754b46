//! The background: it neither blocks a turn nor loses its output nor outlives the shell.

use shell::Turn;

use crate::support::{Fixture, Marker, finished, has, text};

#[tokio::test]
async fn a_background_job_does_not_hold_the_turn() {
    let fixture = Fixture::new().await;
    let marker = Marker::new();
    let turn = fixture.run(&format!("{marker} & echo started")).await;
    let (status, output) = finished(&turn);
    assert_eq!(status, 0);
    assert!(output.ends_with("started\n"), "{output}");
    fixture.alive().await;
    fixture.check("jobs | wc -l", 0, "1\n").await;
    fixture.shell.close().await;
    marker.wait_for(0).await;
}

#[tokio::test]
async fn late_output_comes_with_the_next_turn_marked_as_such() {
    let fixture = Fixture::new().await;
    let mut live = fixture.shell.subscribe();
    fixture
        .finish("set +m; (while [ ! -e ~/go ]; do sleep 0.01; done; echo from afar; touch ~/done) &")
        .await;
    std::fs::write(fixture.path().join("go"), "").unwrap();
    loop {
        if let shell::Live::Text(seen) = live.recv().await.unwrap()
            && seen.contains("from afar")
        {
            break;
        }
    }
    let turn = fixture.run("echo here").await;
    assert_eq!(text(&turn), "here\n");
    assert_eq!(turn.untold.late.unwrap().head, "from afar\n");
    assert!(fixture.run("echo here").await.untold.late.is_none());
}

#[tokio::test]
async fn nothing_outlives_the_shell() {
    let fixture = Fixture::new().await;
    let marker = Marker::new();
    let ways = format!(
        "{marker} & nohup {marker} >/dev/null 2>&1 & setsid {marker} & {marker} & disown; \
         (setsid sh -c '{marker} & {marker}' &) ; bash -c 'trap \"\" HUP TERM INT; {marker}' &"
    );
    fixture.finish(&ways).await;
    marker.wait_for(7).await;
    // With it may come the notice of a job that handed over to another process.
    assert!(text(&fixture.run("echo alive").await).contains("alive\n"));
    fixture.shell.close().await;
    assert_eq!(marker.count(), 0);
}

#[tokio::test]
async fn dropping_the_handle_is_enough() {
    let fixture = Fixture::new().await;
    let marker = Marker::new();
    fixture.finish(&format!("setsid {marker} & {marker} &")).await;
    marker.wait_for(2).await;
    drop(fixture.shell);
    marker.wait_for(0).await;
}

#[tokio::test]
async fn a_guard_that_was_stopped_ends_everything_too() {
    let fixture = Fixture::new().await;
    let marker = Marker::new();
    fixture.finish(&format!("{marker} & setsid {marker} & kill -STOP $PPID")).await;
    marker.wait_for(2).await;
    fixture.shell.close().await;
    assert_eq!(marker.count(), 0);
}

#[tokio::test]
async fn a_flood_from_the_background_blocks_nothing() {
    let fixture = Fixture::new().await;
    fixture.finish("yes flood &").await;
    for _ in 0..3 {
        assert!(whole(&fixture.run("echo here").await).contains("here\n"));
    }
    assert!(whole(&fixture.run("kill %1; wait; echo end").await).contains("end\n"));
    fixture.run("true").await;
    fixture.alive().await;
}

/// All of the output, from the log where it is too long to show.
fn whole(turn: &Turn) -> String {
    let logged = turn.output.log.as_ref().map(|log| std::fs::read_to_string(log).unwrap());
    logged.unwrap_or_else(|| text(turn))
}

#[tokio::test]
async fn a_server_holding_the_output_serves() {
    if !has("python3") {
        return;
    }
    let fixture = Fixture::new().await;
    let server = "python3 -u -c 'import http.server as h; s=h.HTTPServer((\"127.0.0.1\",0),h.SimpleHTTPRequestHandler); \
                  open(\"port\",\"w\").write(str(s.server_port)); s.serve_forever()' &";
    fixture.finish(server).await;
    let fetch = "until [ -s port ]; do sleep 0.01; done; exec 5<>/dev/tcp/127.0.0.1/$(<port); \
                 printf 'GET /port HTTP/1.0\\r\\n\\r\\n' >&5; head -1 <&5; exec 5>&-";
    let (status, output) = fixture.finish(fetch).await;
    assert_eq!(status, 0);
    assert!(output.contains("200 OK"), "{output}");
    fixture.alive().await;
}

#[tokio::test]
async fn a_thousand_jobs_are_no_problem() {
    let fixture = Fixture::new().await;
    let marker = Marker::new();
    fixture.finish(&format!("set +m; for i in {{1..1000}}; do {marker} & done 2>/dev/null")).await;
    fixture.alive().await;
    fixture.shell.close().await;
    assert_eq!(marker.count(), 0);
}

#[tokio::test]
async fn a_fork_bomb_ends_with_its_shell() {
    let fixture = Fixture::new().await;
    let other = Fixture::new().await;
    let marker = Marker::new();
    // Each generation starts two, up to a depth that the machine can take.
    let bomb = format!(
        "cat >bomb <<'EOF'\n[ $1 -gt 0 ] && {{ bash bomb $(($1-1)) & bash bomb $(($1-1)) & }}\nexec {marker}\nEOF\nbash bomb 7 >/dev/null 2>&1 &"
    );
    fixture.finish(&bomb).await;
    other.alive().await;
    marker.wait_for(20).await;
    fixture.shell.close().await;
    marker.wait_for(0).await;
    other.alive().await;
}
