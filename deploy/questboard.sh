#!/bin/sh
# Commands with the settings of questboard.service, for root: `questboard doctor`, `questboard import points.csv`, …
#   install --mode=755 deploy/questboard.sh /usr/local/bin/questboard
# The shell's own variables do not count; of the files the last one that names a setting does, as it is for the service.
exec env -i PATH="$PATH" HOME="${HOME:-/root}" TERM="${TERM:-dumb}" \
  /opt/questboard/node_modules/.bin/node \
  --env-file=/opt/questboard/deploy/questboard.defaults.env \
  --env-file-if-exists=/etc/questboard/questboard.env \
  /opt/questboard/server/src/command/main.ts "$@"
