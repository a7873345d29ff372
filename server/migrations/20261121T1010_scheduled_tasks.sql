-- When a task of the schedule is next due; whoever moves the time forward runs it, so that one instance does.
CREATE TABLE scheduled_tasks (
  task        text PRIMARY KEY CHECK (length(task) BETWEEN 1 AND 100),
  next_run_at timestamptz NOT NULL
);
