-- The operator who put a token on its plan; null if the owner chose the plan, or for tokens from before.
ALTER TABLE server_tokens ADD COLUMN plan_assigned_by uuid;
