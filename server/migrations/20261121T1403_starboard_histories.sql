-- Up to where a starboard's old samples are thinned to one a day (docs/ranking.md). Samples that arrive late move it back.
CREATE TABLE starboard_histories (
  starboard_id  text COLLATE "C" PRIMARY KEY REFERENCES starboards,
  thinned_until timestamptz NOT NULL
);
