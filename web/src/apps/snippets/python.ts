import { cookieAttributes, type Integration, portOf, userPath } from './integration.ts'

/**
 * A server in Python that signs users in. It uses only the standard library. The template inserts values as JSON strings,
 * because they are also valid Python literals.
 */
export const serverInPython = ({ issuer, clientId, redirectUri, scopes }: Integration): string => `import base64
import hashlib
import json
import os
import secrets
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.error import HTTPError
from urllib.parse import parse_qsl, urlencode, urlsplit
from urllib.request import Request, urlopen

ISSUER = ${JSON.stringify(issuer)}
CLIENT_ID = ${JSON.stringify(clientId)}
CLIENT_SECRET = os.environ["QUESTBOARD_CLIENT_SECRET"]
REDIRECT_URI = ${JSON.stringify(redirectUri)}
SCOPE = ${JSON.stringify(scopes.join(' '))}


def request(path, form=None, headers={}):
    data = form and urlencode(form).encode()
    with urlopen(Request(ISSUER + path, data=data, headers=headers)) as response:
        return json.load(response)


class App(BaseHTTPRequestHandler):
    def do_GET(self):
        path, query = urlsplit(self.path).path, dict(parse_qsl(urlsplit(self.path).query))
        if path == (urlsplit(REDIRECT_URI).path or "/") and "state" in query:
            self.redeem(query)
        elif path == "/sign-in":
            self.begin()
        else:
            self.reply(200, {"content-type": "text/html"}, '<a href="/sign-in">Sign in</a>')

    def begin(self):
        state, verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
        digest = hashlib.sha256(verifier.encode()).digest()
        parameters = {
            "response_type": "code",
            "client_id": CLIENT_ID,
            "redirect_uri": REDIRECT_URI,
            "scope": SCOPE,
            "state": state,
            "code_challenge": base64.urlsafe_b64encode(digest).decode().rstrip("="),
            "code_challenge_method": "S256",
        }
        cookie = f"attempt={state}.{verifier}; ${cookieAttributes(redirectUri)}"
        self.reply(302, {"location": f"{ISSUER}/oauth?{urlencode(parameters)}", "set-cookie": cookie})

    def redeem(self, query):
        attempt = SimpleCookie(self.headers.get("cookie", "")).get("attempt")
        state, _, verifier = (attempt.value if attempt else "").partition(".")
        if not state or query["state"] != state or query.get("iss") != ISSUER:
            return self.reply(400, text="This response does not belong to a sign-in of this browser. Sign in again.")
        if "error" in query:
            return self.reply(400, text=query["error"])
        form = {
            "grant_type": "authorization_code",
            "client_id": CLIENT_ID,
            "client_secret": CLIENT_SECRET,
            "redirect_uri": REDIRECT_URI,
            "code": query.get("code", ""),
            "code_verifier": verifier,
        }
        try:
            tokens = request("/oauth/auth/2/token", form)
            user = request("${userPath({ scopes })}", headers={"authorization": "Bearer " + tokens["access_token"]})
        except HTTPError as error:
            return self.reply(400, text=error.read().decode())
        # Add your code here: store the tokens and start a session.
        self.reply(200, {"set-cookie": "attempt=; Path=/; Max-Age=0"}, json.dumps(user))

    def reply(self, status, headers={"content-type": "text/plain"}, text=""):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text.encode())


ThreadingHTTPServer(("localhost", ${portOf(redirectUri)}), App).serve_forever()`
