-- A picture that the account has uploaded, as a PNG file; the profile has its address. Null: none was uploaded.
ALTER TABLE account_profiles ADD COLUMN avatar_image bytea;
