import { assert, it } from "@effect/vitest"
import { Administration, Authenticator, KeyStore, layerEngine, mapClock, Toolbox } from "@tapeline/core"
import { PgStores } from "@tapeline/postgres"
import { Clock, Context, Effect, Exit, Layer, Redacted } from "effect"
import { makeFreshPglite } from "./support/databases.ts"

const day = 86_400_000

const node = Effect.fnUntraced(function*(ms: number) {
  const clock = mapClock(yield* Clock.Clock, (now) => now + ms)
  const services = yield* Layer.build(Layer.fresh(layerEngine({ toolbox: Toolbox.layer([]) }))).pipe(
    Effect.provideService(Clock.Clock, clock)
  )
  const [administration, authenticator] = [
    Context.get(services, Administration),
    Context.get(services, Authenticator)
  ]
  const withNodeClock = Effect.provideService(Clock.Clock, clock)
  return {
    issue: (account: number, expiresAt: number | null = null) =>
      withNodeClock(Effect.exit(administration.issueKey({ account, name: "k", scopes: ["read:market"], expiresAt }))),
    change: (key: number, expiresAt: number) =>
      withNodeClock(Effect.exit(administration.updateKey(key, { expiresAt }))),
    revoke: (key: number) => withNodeClock(administration.revokeKey(key)),
    canAuthenticate: (key: string) =>
      Effect.map(withNodeClock(Effect.exit(authenticator.authenticate(key))), Exit.isSuccess),
    newAccount: withNodeClock(administration.createAccount({ name: "x", plan: "lite" }))
  }
})

type Node = Effect.Success<ReturnType<typeof node>>

const issuedKey = (exit: Effect.Success<ReturnType<Node["issue"]>>) => {
  assert(Exit.isSuccess(exit))
  return exit.value
}

it.live(
  "keeps keys, limits and times right on a node whose clock is days off",
  () =>
    Effect.gen(function*() {
      const store = yield* KeyStore
      for (const clockErrorMs of [12 * day, -12 * day]) {
        const began = Date.now()
        const right = yield* node(0)
        const creditsUsed = yield* Effect.scoped(Effect.gen(function*() {
          const skewedNode = yield* node(clockErrorMs)
          // The account's plan allows two keys, and one of two keys expires in five days.
          const account = yield* skewedNode.newAccount
          const expiringKey = issuedKey(yield* right.issue(account.id, began + 5 * day))
          const second = issuedKey(yield* skewedNode.issue(account.id, began + 5 * day))
          for (const one of [skewedNode, right]) {
            assert.isTrue(yield* one.canAuthenticate(Redacted.value(expiringKey.key)))
            assert.isTrue(yield* one.canAuthenticate(Redacted.value(second.key)))
            assert.include(String(yield* one.issue(account.id)), "KeyLimit")
            assert.isTrue(Exit.isSuccess(yield* one.change(expiringKey.record.id, began + 6 * day)))
            assert.include(String(yield* one.change(expiringKey.record.id, began - day)), "ExpiryPassed")
            assert.include(String(yield* one.issue(account.id, began - day)), "ExpiryPassed")
          }
          const revoked = yield* skewedNode.revoke(second.record.id)
          const times = [account.createdAt, second.record.createdAt, revoked.revokedAt!]
          times.forEach((time) => assert.isTrue(time >= began && time <= Date.now(), `${time - began} ms`))
          return expiringKey.record.id
        }))
        // A node that stops stores the times of its keys' last uses.
        const { lastUsedAt } = yield* store.key(creditsUsed)
        assert.isTrue(lastUsedAt! >= began && lastUsedAt! <= Date.now(), `${lastUsedAt! - began} ms`)
      }
    }).pipe(Effect.scoped, Effect.provide(PgStores.pipe(Layer.provide(makeFreshPglite())))),
  30_000
)
