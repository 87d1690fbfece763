import { assert, describe, it, layer } from "@effect/vitest"
import type { StaticFile } from "@tapeline/http"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { findLanguage } from "../src/console/htmlPages.ts"
import { layerTestServer, sendRequest } from "./testServer.ts"

const page = (path: string): StaticFile => ({
  path: `pages/${path}.html`,
  type: "text/html; charset=utf-8",
  etag: `tag-of-${path}`,
  immutable: false,
  bytes: Buffer.from(`<style>a{}</style><script src="/app/a.js"></script><script>start()</script>${path}`)
})

const paths = [
  "user/index",
  "user/market",
  "user/market/[coin]",
  "user/admin/[...path]",
  "user/[...path]",
  "visitor/[...path]",
  "visitor/admin/[...path]"
]

const files = [
  { ...page("x"), path: "index.html", bytes: Buffer.from("fallback") },
  ...["en", "ko", "ru"].flatMap((language) => paths.map((path) => page(`${language}/${path}`)))
]

const read = (path: string, headers: Readonly<Record<string, string>>) =>
  Effect.map(sendRequest("GET", path, { headers }), ({ text }) => text.slice(text.lastIndexOf(">") + 1))

const session = { cookie: "tapeline_session=1" }

layer(layerTestServer([], {}, { corsOrigins: [], console: files }))("the HTML of the console's pages", (it) => {
  it.effect("is the HTML of the address for a browser with a session cookie, and of the sign-in for others", () =>
    Effect.gen(function*() {
      const expectedPages = {
        "/app/": ["user/index", "visitor/[...path]"],
        "/app/market": ["user/market", "visitor/[...path]"],
        "/app/market/": ["user/market", "visitor/[...path]"],
        "/app/market/BTC?tf=4h": ["user/market/[coin]", "visitor/[...path]"],
        "/app/market/BRK.B": ["user/market/[coin]", "visitor/[...path]"],
        "/app/market/BTC/x": ["user/[...path]", "visitor/[...path]"],
        "/app/admin": ["user/admin/[...path]", "visitor/admin/[...path]"],
        "/app/admin/accounts/7": ["user/admin/[...path]", "visitor/admin/[...path]"],
        "/app/market/BTC/%0Ax": ["user/[...path]", "visitor/[...path]"],
        "/app/administrator": ["user/[...path]", "visitor/[...path]"],
        "/app/pages/en/user/market.html": ["user/[...path]", "visitor/[...path]"]
      }
      for (const [path, [user, visitor]] of Object.entries(expectedPages)) {
        assert.strictEqual(yield* read(path, session), `en/${user}`, path)
        assert.strictEqual(yield* read(path, {}), `en/${visitor}`, path)
      }
      assert.strictEqual(
        yield* read("/app/market", { cookie: "__Host-tapeline_session=1; tapeline_language=ru" }),
        "ru/user/market"
      )
    }))

  it.effect("has a content security policy that allows exactly its inline script and style", () =>
    Effect.gen(function*() {
      const digest = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`
      const { headers } = yield* sendRequest("GET", "/app/market", { headers: session })
      const policy = headers.get("content-security-policy")!.split("; ")
      assert.include(policy, `script-src 'self' ${digest("start()")}`)
      assert.include(policy, `style-src 'self' ${digest("a{}")}`)
      assert.include(policy, "require-trusted-types-for 'script'")
      assert.notMatch(policy.join(), /unsafe|\*|https?:/)
      const redirect = yield* sendRequest("GET", "/app/none.js")
      assert.notInclude(redirect.headers.get("content-security-policy") ?? "", "sha256")
    }))

  it.effect("has the language of the file in Content-Language, not the language of the service's messages", () =>
    Effect.gen(function*() {
      const headers = { cookie: "tapeline_session=1; tapeline_language=ko", "accept-language": "ru" }
      const response = yield* sendRequest("GET", "/app/market", { headers })
      assert.strictEqual(response.headers.get("content-language"), "ko")
    }))

  it.effect("is revalidated by its own ETag, and varies by encoding, language and cookie", () =>
    Effect.gen(function*() {
      const { headers } = yield* sendRequest("GET", "/app/market", { headers: session })
      assert.strictEqual(headers.get("cache-control"), "no-cache")
      assert.strictEqual(headers.get("vary"), "accept-encoding, accept-language, cookie")
      const ifNoneMatch = { "if-none-match": headers.get("etag")! }
      const unchanged = yield* sendRequest("GET", "/app/market", { headers: { ...session, ...ifNoneMatch } })
      assert.strictEqual(unchanged.status, 304)
      const signedOut = yield* sendRequest("GET", "/app/market", { headers: ifNoneMatch })
      assert.strictEqual(signedOut.status, 200)
    }))
})

describe("the language of the HTML", () => {
  const languages = new Set(["en", "ko", "ru"])
  const find = (acceptLanguage: string, cookie = "") =>
    findLanguage(languages, { "accept-language": acceptLanguage, cookie })

  it("is the selected language, else the preferred supported language, else English", () => {
    assert.strictEqual(find("en", "tapeline_language=ko"), "ko")
    assert.strictEqual(find("fr-FR, ru;q=0.5, ko-KR;q=0.8"), "ko")
    assert.strictEqual(find("RU"), "ru")
    assert.strictEqual(find("ko;q=0, fr, *"), "en")
    assert.strictEqual(find("ko;q=x, ru"), "ru")
    assert.strictEqual(find(""), "en")
    assert.strictEqual(find("ru", "tapeline_language=xx"), "ru")
    assert.strictEqual(find("ru", "tapeline_language=../ko"), "ru")
    assert.strictEqual(find("ru", "tapeline_language=ko; tapeline_language=en"), "ru")
    assert.strictEqual(findLanguage(languages, {}), "en")
  })
})
