//! The tables themselves.

use super::Case;

pub static CASES: &[Case] = &[
    Case {
        name: "an entry is written, read and deleted",
        steps: r#"
            get profile k.a => null
            put profile k.a {"value":{"n":1}} => {"ok":true,"entry":{"key":"k.a","value":{"n":1},"revision":"$1"}}
            get profile k.a => {"key":"k.a","value":{"n":1},"revision":"$1"}
            put profile k.a {"value":null} => {"ok":true,"entry":{"key":"k.a","value":null,"revision":"$2"}}
            get profile k.a => {"key":"k.a","value":null,"revision":"$2"}
            delete profile k.a => {"ok":true}
            get profile k.a => null
            delete profile k.a => {"ok":false}
            put profile k.a {"value":[]} => {"ok":true,"entry":{"key":"k.a","value":[],"revision":"$3"}}
        "#,
    },
    Case {
        name: "null asks for a key that does not exist",
        steps: r#"
            put profile k.a {"value":1,"if_revision":null} => {"ok":true,"entry":{"key":"k.a","value":1,"revision":"$1"}}
            put profile k.a {"value":2,"if_revision":null} => {"ok":false,"conflict_revision":"$1"}
            patch profile k.a {"patch":{},"if_revision":null} => {"ok":false,"conflict_revision":"$1"}
            append profile k.a {"item":2,"if_revision":null} => {"ok":false,"conflict_revision":"$1"}
            delete profile k.a {"if_revision":null} => {"ok":false,"conflict_revision":"$1"}
            delete profile k.none {"if_revision":null} => {"ok":false}
            patch profile k.b {"patch":{"a":1},"if_revision":null} => {"ok":true,"entry":{"key":"k.b","value":{"a":1},"revision":"$2"}}
            append profile k.c {"item":1,"if_revision":null} => {"ok":true,"entry":{"key":"k.c","value":[1],"revision":"$3"}}
            get profile k.a => {"key":"k.a","value":1,"revision":"$1"}
        "#,
    },
    Case {
        name: "a revision asks for exactly that one",
        steps: r#"
            put profile k.a {"value":{}} => {"ok":true,"entry":{"key":"k.a","value":{},"revision":"$1"}}
            put profile k.a {"value":{},"if_revision":"$1"} => {"ok":true,"entry":{"key":"k.a","value":{},"revision":"$2"}}
            put profile k.a {"value":1,"if_revision":"$1"} => {"ok":false,"conflict_revision":"$2"}
            put profile k.a {"value":1,"if_revision":"nope"} => {"ok":false,"conflict_revision":"$2"}
            put profile k.a {"value":1,"if_revision":"r"} => {"ok":false,"conflict_revision":"$2"}
            put profile k.a {"value":1,"if_revision":" "} => {"ok":false,"conflict_revision":"$2"}
            patch profile k.a {"patch":{},"if_revision":"$1"} => {"ok":false,"conflict_revision":"$2"}
            append profile k.a {"item":1,"if_revision":"$1"} => {"ok":false,"conflict_revision":"$2"}
            delete profile k.a {"if_revision":"$1"} => {"ok":false,"conflict_revision":"$2"}
            put profile k.none {"value":1,"if_revision":"$2"} => {"ok":false}
            patch profile k.none {"patch":{},"if_revision":"$2"} => {"ok":false}
            append profile k.none {"item":1,"if_revision":"nope"} => {"ok":false}
            delete profile k.none {"if_revision":"nope"} => {"ok":false}
            get profile k.none => null
            patch profile k.a {"patch":{"x":1},"if_revision":"$2"} => {"ok":true,"entry":{"key":"k.a","value":{"x":1},"revision":"$3"}}
            delete profile k.a {"if_revision":"$3"} => {"ok":true}
            put profile k.a {"value":1,"if_revision":"$3"} => {"ok":false}
            put profile k.a {"value":[],"if_revision":null} => {"ok":true,"entry":{"key":"k.a","value":[],"revision":"$4"}}
            append profile k.a {"item":1,"if_revision":"$4"} => {"ok":true,"entry":{"key":"k.a","value":[1],"revision":"$5"}}
        "#,
    },
    Case {
        name: "a condition that is no condition is refused",
        steps: r#"
            put profile k.a {"value":1,"if_revision":""} ! invalid_argument if_revision is empty
            delete profile k.a {"if_revision":""} ! invalid_argument if_revision is empty
            put profile k.a {"value":1,"if_revision":7} ! invalid_argument if_revision is a revision or null, not 7
            put profile k.a {"value":1,"if_revision":false} ! invalid_argument not false
            put profile k.a {"value":1,"if_revision":{}} ! invalid_argument not an object
            get profile k.a => null
        "#,
    },
    Case {
        name: "only what is known and complete is done",
        steps: r#"
            put profile k.a {"value":1,"ifRevision":null} ! invalid_argument unknown field `ifRevision`
            put profile k.a {"value":1,"if_revisions":null} ! invalid_argument takes scope_kind, key, value, ttl_seconds, if_revision
            put profile k.a {"value":1,"ttl":5} ! invalid_argument unknown field `ttl`
            put profile k.a {"item":1} ! invalid_argument missing field `value`
            patch profile k.a {"value":1} ! invalid_argument missing field `patch`
            append profile k.a {"value":1} ! invalid_argument missing field `item`
            append profile k.a ! invalid_argument missing field `item`
            get profile k.a {"if_revision":null} ! invalid_argument unknown field `if_revision`
            delete profile k.a {"ttl_seconds":1} ! invalid_argument unknown field `ttl_seconds`
            list profile k. {"key":"k.a"} ! invalid_argument unknown field `key`
            raw get {"key":"k.a"} ! invalid_argument missing field `scope_kind`
            raw get {"scope_kind":"profile"} ! invalid_argument missing field `key`
            raw list {"scope_kind":"profile"} ! invalid_argument missing field `key_prefix`
            raw get {"scope_kind":"global","key":"k.a"} ! invalid_argument profile, session, task or shared
            raw get {"scope_kind":"Profile","key":"k.a"} ! invalid_argument not "Profile"
            raw get {"scope_kind":"profile","key":["k.a"]} ! invalid_argument key is a string
            patch profile k.a {"patch":[1]} ! invalid_argument patch is an object, not an array
            patch profile k.a {"patch":null} ! invalid_argument patch is an object, not null
            patch profile k.a {"patch":"x"} ! invalid_argument patch is an object
            get profile k.a => null
        "#,
    },
    Case {
        name: "a binding decides what is reached",
        steps: r#"
            get profile secret.x ! state_binding_denied no profile binding
            put profile k {"value":1} ! state_binding_denied covers "k"; it declares "k."
            put profile K.a {"value":1} ! state_binding_denied covers "K.a"
            put profile ../k.a {"value":1} ! state_binding_denied covers
            put profile ｋ.a {"value":1} ! state_binding_denied covers
            patch profile m.a {"patch":{}} ! state_binding_denied no profile binding
            append task m.a {"item":1} ! state_binding_denied no task binding
            delete session m.a ! state_binding_denied no session binding
            list profile k ! state_binding_denied no profile binding
            raw list {"scope_kind":"profile","key_prefix":""} ! state_binding_denied no profile binding
            list profile k. => {"entries":[]}
            list profile k.deeper => {"entries":[]}
            put profile k. {"value":1} => {"ok":true,"entry":{"key":"k.","value":1,"revision":"$1"}}
            put profile k.../x {"value":1} => {"ok":true,"entry":{"key":"k.../x","value":1,"revision":"$2"}}
        "#,
    },
    Case {
        name: "the scope of shared state comes from the binding",
        steps: r#"
            get shared k.a {"scope_id":"service"} ! state_scope_id_forbidden manifest
            put shared k.a {"value":1,"scope_id":"other"} ! state_scope_id_forbidden manifest
            put profile k.a {"value":1,"scope_id":"x"} ! state_scope_id_forbidden manifest
            list shared k. {"scope_id":null} ! state_scope_id_forbidden manifest
            put shared k.a {"value":"service"} => {"ok":true,"entry":{"key":"k.a","value":"service","revision":"$1"}}
            put shared m.a {"value":"billing"} => {"ok":true,"entry":{"key":"m.a","value":"billing","revision":"$2"}}
            list shared k. => {"entries":[{"key":"k.a","value":"service","revision":"$1"}]}
            list shared m. => {"entries":[{"key":"m.a","value":"billing","revision":"$2"}]}
        "#,
    },
    Case {
        name: "kinds are apart",
        steps: r#"
            put profile k.a {"value":"profile"} => {"ok":true,"entry":{"key":"k.a","value":"profile","revision":"$1"}}
            put session k.a {"value":"session"} => {"ok":true,"entry":{"key":"k.a","value":"session","revision":"$2"}}
            put task k.a {"value":"task"} => {"ok":true,"entry":{"key":"k.a","value":"task","revision":"$3"}}
            put shared k.a {"value":"shared"} => {"ok":true,"entry":{"key":"k.a","value":"shared","revision":"$4"}}
            delete session k.a {"if_revision":"$1"} => {"ok":false,"conflict_revision":"$2"}
            delete session k.a => {"ok":true}
            get profile k.a => {"key":"k.a","value":"profile","revision":"$1"}
            get session k.a => null
            get task k.a => {"key":"k.a","value":"task","revision":"$3"}
            get shared k.a => {"key":"k.a","value":"shared","revision":"$4"}
        "#,
    },
    Case {
        name: "an entry lives as long as it was given",
        steps: r#"
            put profile k.a {"value":[1],"ttl_seconds":10} => {"ok":true,"entry":{"key":"k.a","value":[1],"revision":"$1","expires_at":"2024-01-02T03:04:15.678Z"}}
            wait 4
            append profile k.a {"item":2} => {"ok":true,"entry":{"key":"k.a","value":[1,2],"revision":"$2","expires_at":"2024-01-02T03:04:15.678Z"}}
            patch profile k.a {"patch":{"a":1}} => {"ok":true,"entry":{"key":"k.a","value":{"a":1},"revision":"$3","expires_at":"2024-01-02T03:04:15.678Z"}}
            patch profile k.a {"patch":{"b":1},"ttl_seconds":10} => {"ok":true,"entry":{"key":"k.a","value":{"a":1,"b":1},"revision":"$4","expires_at":"2024-01-02T03:04:19.678Z"}}
            wait 9.999
            get profile k.a => {"key":"k.a","value":{"a":1,"b":1},"revision":"$4","expires_at":"2024-01-02T03:04:19.678Z"}
            list profile k. => {"entries":[{"key":"k.a","value":{"a":1,"b":1},"revision":"$4","expires_at":"2024-01-02T03:04:19.678Z"}]}
            wait 0.001
            get profile k.a => null
            list profile k. => {"entries":[]}
            delete profile k.a => {"ok":false}
            delete profile k.a {"if_revision":"$4"} => {"ok":false}
            put profile k.a {"value":0,"if_revision":"$4"} => {"ok":false}
            patch profile k.a {"patch":{},"if_revision":"$4"} => {"ok":false}
            append profile k.a {"item":0,"if_revision":"$4"} => {"ok":false}
            append profile k.a {"item":9,"if_revision":null} => {"ok":true,"entry":{"key":"k.a","value":[9],"revision":"$5"}}
            put profile k.b {"value":"x","ttl_seconds":1} => {"ok":true,"entry":{"key":"k.b","value":"x","revision":"$6","expires_at":"2024-01-02T03:04:20.678Z"}}
            wait 1
            patch profile k.b {"patch":{"fresh":true}} => {"ok":true,"entry":{"key":"k.b","value":{"fresh":true},"revision":"$7"}}
            put profile k.c {"value":1,"ttl_seconds":5} => {"ok":true,"entry":{"key":"k.c","value":1,"revision":"$8","expires_at":"2024-01-02T03:04:25.678Z"}}
            put profile k.c {"value":2} => {"ok":true,"entry":{"key":"k.c","value":2,"revision":"$9"}}
        "#,
    },
    Case {
        name: "a time to live has bounds",
        steps: r#"
            put profile k.a {"value":1,"ttl_seconds":0} ! invalid_argument from 1 to 315360000, not 0
            put profile k.a {"value":1,"ttl_seconds":315360001} ! invalid_argument from 1 to 315360000
            put profile k.a {"value":1,"ttl_seconds":-1} ! invalid_argument not -1
            put profile k.a {"value":1,"ttl_seconds":1.5} ! invalid_argument not 1.5
            put profile k.a {"value":1,"ttl_seconds":"5"} ! invalid_argument not "5"
            append profile k.a {"item":1,"ttl_seconds":0} ! invalid_argument ttl_seconds
            patch profile k.a {"patch":{},"ttl_seconds":null} ! invalid_argument ttl_seconds
            get profile k.a => null
            put profile k.a {"value":1,"ttl_seconds":315360000} => {"ok":true,"entry":{"key":"k.a","value":1,"revision":"$1","expires_at":"2033-12-30T03:04:05.678Z"}}
            put profile k.b {"value":1,"ttl_seconds":1} => {"ok":true,"entry":{"key":"k.b","value":1,"revision":"$2","expires_at":"2024-01-02T03:04:06.678Z"}}
        "#,
    },
    Case {
        name: "append grows arrays and nothing else",
        steps: r#"
            append profile k.a {"item":null} => {"ok":true,"entry":{"key":"k.a","value":[null],"revision":"$1"}}
            append profile k.a {"item":[2]} => {"ok":true,"entry":{"key":"k.a","value":[null,[2]],"revision":"$2"}}
            put profile k.t {"value":"text"} => {"ok":true,"entry":{"key":"k.t","value":"text","revision":"$3"}}
            append profile k.t {"item":1} ! state_type_mismatch the value is a string
            append profile k.t {"item":1,"if_revision":"$3"} ! state_type_mismatch the value is a string
            append profile k.t {"item":1,"if_revision":"$2"} => {"ok":false,"conflict_revision":"$3"}
            append profile k.t {"item":1,"if_revision":null} => {"ok":false,"conflict_revision":"$3"}
            put profile k.n {"value":null} => {"ok":true,"entry":{"key":"k.n","value":null,"revision":"$4"}}
            append profile k.n {"item":1} ! state_type_mismatch the value is null
            get profile k.t => {"key":"k.t","value":"text","revision":"$3"}
        "#,
    },
    Case {
        name: "keys and values have limits, and errors say both sizes",
        steps: r#"
            raw get {"scope_kind":"profile","key":""} ! invalid_argument empty
            raw get {"scope_kind":"profile","key":"k.\u0000"} ! invalid_argument control characters
            raw get {"scope_kind":"profile","key":"k.\n"} ! invalid_argument control characters
            raw get {"scope_kind":"profile","key":"k.\u007f"} ! invalid_argument control characters
            raw list {"scope_kind":"profile","key_prefix":"k.\t"} ! invalid_argument control characters
            get profile @256.k. => null
            get profile @257.k. ! state_limit_exceeded 514 bytes, at most 512
            list profile @257.k. ! state_limit_exceeded 514 bytes, at most 512
            put profile k.a {"value":"@4194303.x"} ! state_limit_exceeded 4194305 bytes, at most 4194304
            append profile k.a {"item":"@4194301.x"} ! state_limit_exceeded 4194305 bytes, at most 4194304
            patch profile k.a {"patch":{"a":"@4194297.x"}} ! state_limit_exceeded 4194305 bytes, at most 4194304
            get profile k.a => null
            append profile k.l {"item":"@4194200.x"} => {"ok":true,"entry":{"key":"k.l","value":["@4194200.x"],"revision":"$1"}}
            append profile k.l {"item":"@200.x"} ! state_limit_exceeded at most 4194304
            append profile k.l {"item":"@50.x"} => {"ok":true,"entry":{"key":"k.l","value":["@4194200.x","@50.x"],"revision":"$2"}}
            append profile k.d {"item":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]} => {"ok":true,"entry":{"key":"k.d","value":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]],"revision":"$3"}}
            append profile k.d {"item":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]} ! state_limit_exceeded 101 levels, at most 100
            append profile k.e {"item":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]} ! state_limit_exceeded 101 levels, at most 100
            get profile k.e => null
        "#,
    },
    Case {
        name: "lists are in byte order, in pages that join",
        steps: r#"
            put profile k.b {"value":1} => {"ok":true,"entry":{"key":"k.b","value":1,"revision":"$1"}}
            put profile k.A {"value":1} => {"ok":true,"entry":{"key":"k.A","value":1,"revision":"$2"}}
            put profile k.é {"value":1} => {"ok":true,"entry":{"key":"k.é","value":1,"revision":"$3"}}
            put profile k.a {"value":1} => {"ok":true,"entry":{"key":"k.a","value":1,"revision":"$4"}}
            put profile k.aa {"value":1} => {"ok":true,"entry":{"key":"k.aa","value":1,"revision":"$5"}}
            list profile k. => {"entries":[{"key":"k.A","value":1,"revision":"$2"},{"key":"k.a","value":1,"revision":"$4"},{"key":"k.aa","value":1,"revision":"$5"},{"key":"k.b","value":1,"revision":"$1"},{"key":"k.é","value":1,"revision":"$3"}]}
            list profile k.a => {"entries":[{"key":"k.a","value":1,"revision":"$4"},{"key":"k.aa","value":1,"revision":"$5"}]}
            list profile k.a {"limit":2} => {"entries":[{"key":"k.a","value":1,"revision":"$4"},{"key":"k.aa","value":1,"revision":"$5"}]}
            list profile k.a {"limit":1} => {"entries":[{"key":"k.a","value":1,"revision":"$4"}],"next_cursor":"$c"}
            list profile k.a {"limit":1,"cursor":"$c"} => {"entries":[{"key":"k.aa","value":1,"revision":"$5"}]}
            delete profile k.a => {"ok":true}
            list profile k.a {"limit":1,"cursor":"$c"} => {"entries":[{"key":"k.aa","value":1,"revision":"$5"}]}
            list profile k.b {"cursor":"$c"} ! invalid_argument cursor
            list profile k. {"cursor":"%"} ! invalid_argument cursor
            list profile k. {"cursor":7} ! invalid_argument cursor is a string, not 7
            list profile k. {"limit":0} ! invalid_argument from 1 to 1000, not 0
            list profile k. {"limit":1001} ! invalid_argument from 1 to 1000, not 1001
            list profile k. {"limit":1.5} ! invalid_argument from 1 to 1000
            list profile k. {"limit":null} ! invalid_argument from 1 to 1000
        "#,
    },
    Case {
        name: "patches are those of RFC 7396",
        steps: r#"
            put profile k.1 {"value":{"a":"b"}} => {"ok":true,"entry":{"key":"k.1","value":{"a":"b"},"revision":"$1"}}
            patch profile k.1 {"patch":{"a":"c"}} => {"ok":true,"entry":{"key":"k.1","value":{"a":"c"},"revision":"$2"}}
            patch profile k.1 {"patch":{"b":"c"}} => {"ok":true,"entry":{"key":"k.1","value":{"a":"c","b":"c"},"revision":"$3"}}
            patch profile k.1 {"patch":{"a":null}} => {"ok":true,"entry":{"key":"k.1","value":{"b":"c"},"revision":"$4"}}
            patch profile k.1 {"patch":{"b":null}} => {"ok":true,"entry":{"key":"k.1","value":{},"revision":"$5"}}
            patch profile k.1 {"patch":{"a":["b"]}} => {"ok":true,"entry":{"key":"k.1","value":{"a":["b"]},"revision":"$6"}}
            patch profile k.1 {"patch":{"a":"c"}} => {"ok":true,"entry":{"key":"k.1","value":{"a":"c"},"revision":"$7"}}
            patch profile k.1 {"patch":{"a":{"b":"c"}}} => {"ok":true,"entry":{"key":"k.1","value":{"a":{"b":"c"}},"revision":"$8"}}
            patch profile k.1 {"patch":{"a":{"b":"d","c":null}}} => {"ok":true,"entry":{"key":"k.1","value":{"a":{"b":"d"}},"revision":"$9"}}
            put profile k.2 {"value":{"a":[{"b":"c"}]}} => {"ok":true,"entry":{"key":"k.2","value":{"a":[{"b":"c"}]},"revision":"$10"}}
            patch profile k.2 {"patch":{"a":[1]}} => {"ok":true,"entry":{"key":"k.2","value":{"a":[1]},"revision":"$11"}}
            put profile k.3 {"value":{"e":null}} => {"ok":true,"entry":{"key":"k.3","value":{"e":null},"revision":"$12"}}
            patch profile k.3 {"patch":{"a":1}} => {"ok":true,"entry":{"key":"k.3","value":{"e":null,"a":1},"revision":"$13"}}
            put profile k.4 {"value":[1,2]} => {"ok":true,"entry":{"key":"k.4","value":[1,2],"revision":"$14"}}
            patch profile k.4 {"patch":{"a":"b","c":null}} => {"ok":true,"entry":{"key":"k.4","value":{"a":"b"},"revision":"$15"}}
            patch profile k.5 {"patch":{"a":{"bb":{"ccc":null}}}} => {"ok":true,"entry":{"key":"k.5","value":{"a":{"bb":{}}},"revision":"$16"}}
            put profile k.6 {"value":"foo"} => {"ok":true,"entry":{"key":"k.6","value":"foo","revision":"$17"}}
            patch profile k.6 {"patch":{}} => {"ok":true,"entry":{"key":"k.6","value":{},"revision":"$18"}}
        "#,
    },
];
