#!/bin/sh
# Commands with the settings of questboard.service, for root: `questboard doctor`, `questboard import points.csv`, …
#   install --mode=755 deploy/questboard.sh /usr/local/bin/questboard
exec env NODE_ENV=production \
  QUESTBOARD_DATA_DIR=/var/lib/questboard \
  DATABASE_URL_FILE=/etc/questboard/database-url \
  QUESTBOARD_SECRET_FILE=/etc/questboard/secret \
  /opt/questboard/node_modules/.bin/node --env-file-if-exists=/etc/questboard/questboard.env \
  /opt/questboard/server/src/command/main.ts "$@"
