import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { startServer } from "./support/process.ts"
import { sendRequest } from "./support/service.ts"
import { makePglite } from "./support/testDatabases.ts"

it.live("serves the console's page and every file that it names, and prints the console's address", () =>
  Effect.gen(function*() {
    const database = yield* makePglite()
    const server = yield* startServer(database.environment)
    assert.include(server.stdout(), `(console: ${server.address}/app, documentation: ${server.address}/docs)`)
    const page = yield* Effect.promise(() => fetch(`${server.address}/`))
    assert.strictEqual(page.url, `${server.address}/app/`)
    const html = yield* Effect.promise(() => page.text())
    const named = [...html.matchAll(/(?:src|href)="(\/app\/[^"]+)"/g)].map(([, path]) => path!)
    assert.isAtLeast(named.length, 4)
    for (const path of named) {
      const { headers, status } = yield* Effect.promise(() => fetch(`${server.address}${path}`))
      assert.strictEqual(status, 200, path)
      assert.include(headers.get("content-security-policy"), "default-src 'none'", path)
      assert.match(headers.get("content-type") ?? "", /^(text\/javascript|text\/css|image\/svg)/, path)
    }
  }))

it.live(
  "serves no console and prints no link to it if TAPELINE_CONSOLE is off",
  () =>
    Effect.gen(function*() {
      const database = yield* makePglite()
      const server = yield* startServer({ ...database.environment, TAPELINE_CONSOLE: "off" })
      for (const path of ["/", "/app", "/app/"]) {
        assert.strictEqual((yield* sendRequest(server, "GET", path)).status, 404)
      }
      assert.isDefined(server.demoKey)
      assert.isUndefined(server.link)
      assert.notInclude(server.stdout(), "/app")
    })
)
