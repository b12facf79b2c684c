-- +goose Up
-- Times are RFC 3339 text in UTC: records are hashed, and text has one form.
CREATE TABLE record (
    seq        BIGINT PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    kind       TEXT NOT NULL,
    created    TEXT NOT NULL,
    tournament TEXT NOT NULL,
    player     TEXT NOT NULL,
    envelope   BYTEA NOT NULL,
    body       BYTEA NOT NULL,
    hash       TEXT NOT NULL UNIQUE
);
CREATE INDEX record_kind ON record (kind, tournament, player, seq);

CREATE TABLE person (
    token      TEXT PRIMARY KEY,
    name       TEXT NOT NULL,
    player_id  TEXT NOT NULL,
    name_key   TEXT NOT NULL,
    salt       BYTEA NOT NULL,
    commitment TEXT NOT NULL
);

-- +goose Down
DROP TABLE person;
DROP TABLE record;
