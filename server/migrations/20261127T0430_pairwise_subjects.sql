-- OpenID Connect Core 8: whether all apps know a user under the same `sub`.
ALTER TABLE apps ADD COLUMN subject_type text NOT NULL DEFAULT 'public';
ALTER TABLE apps ADD CONSTRAINT apps_subject_type CHECK (subject_type IN ('public', 'pairwise'));
