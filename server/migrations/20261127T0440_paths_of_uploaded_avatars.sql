-- The URL of an uploaded picture contained the public URL of its time. Now it is a path.
UPDATE account_profiles SET avatar = regexp_replace(avatar, '^.*(/api/avatars/)', '\1') WHERE avatar_image IS NOT NULL;

-- A job copies the path to the profiles and boards of these addresses.
INSERT INTO profile_changes (address)
SELECT address FROM profiles WHERE own_avatar LIKE '%/api/avatars/%?v=%'
ON CONFLICT DO NOTHING;
