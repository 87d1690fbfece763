import { assert, layer } from "@effect/vitest"
import { Administration, Sessions } from "@tapeline/core"
import { Effect } from "effect"
import { fromPage, signedIn } from "./browser.ts"
import { heldBack, layerTestServer } from "./server.ts"

const endAll = (account: number) => Effect.flatMap(Sessions, (sessions) => sessions.endAll(account, null))

layer(layerTestServer())("a caller whose key or session ends during a request", (it) => {
  it.effect("issues and changes no key after its session ended", () =>
    Effect.gen(function*() {
      const { account, ask, jar, record } = yield* signedIn()
      yield* ask("GET", "/v1/account")
      const headers = { ...fromPage, cookie: jar.cookie }
      const issue = yield* heldBack("POST", "/v1/account/keys", headers, { name: "more", scopes: ["read:us"] })
      const change = yield* heldBack("PATCH", `/v1/account/keys/${record.id}`, headers, { scopes: ["read:us"] })
      yield* endAll(account.id)
      for (const { send } of [issue, change]) assert.match(yield* send, /^HTTP\/1\.1 401[^]*"code":"session_required"/)
      assert.deepStrictEqual(yield* (yield* Administration).keys(account.id, { after: 0, limit: 10 }), [record])
    }))
})
