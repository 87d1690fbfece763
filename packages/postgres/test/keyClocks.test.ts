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
  const onIt = Effect.provideService(Clock.Clock, clock)
  return {
    issue: (account: number, expiresAt: number | null = null) =>
      onIt(Effect.exit(administration.issueKey({ account, name: "k", scopes: ["read:market"], expiresAt }))),
    change: (key: number, expiresAt: number) => onIt(Effect.exit(administration.updateKey(key, { expiresAt }))),
    revoke: (key: number) => onIt(administration.revokeKey(key)),
    knows: (key: string) => Effect.map(onIt(Effect.exit(authenticator.authenticate(key))), Exit.isSuccess),
    newAccount: onIt(administration.createAccount({ name: "x", plan: "lite" }))
  }
})

type Node = Effect.Success<ReturnType<typeof node>>

const made = (exit: Effect.Success<ReturnType<Node["issue"]>>) => {
  assert(Exit.isSuccess(exit))
  return exit.value
}

it.live(
  "keeps keys, limits and times right on a node whose clock is days off",
  () =>
    Effect.gen(function*() {
      const store = yield* KeyStore
      for (const ahead of [12 * day, -12 * day]) {
        const began = Date.now()
        const right = yield* node(0)
        const used = yield* Effect.scoped(Effect.gen(function*() {
          const wrong = yield* node(ahead)
          // The account's plan allows two keys. One of the two keys expires in five days.
          const account = yield* wrong.newAccount
          const soon = made(yield* right.issue(account.id, began + 5 * day))
          const second = made(yield* wrong.issue(account.id, began + 5 * day))
          for (const one of [wrong, right]) {
            assert.isTrue(yield* one.knows(Redacted.value(soon.key)))
            assert.isTrue(yield* one.knows(Redacted.value(second.key)))
            assert.include(String(yield* one.issue(account.id)), "KeyLimit")
            assert.isTrue(Exit.isSuccess(yield* one.change(soon.record.id, began + 6 * day)))
            assert.include(String(yield* one.change(soon.record.id, began - day)), "ExpiryPassed")
            assert.include(String(yield* one.issue(account.id, began - day)), "ExpiryPassed")
          }
          const revoked = yield* wrong.revoke(second.record.id)
          const times = [account.createdAt, second.record.createdAt, revoked.revokedAt!]
          times.forEach((time) => assert.isTrue(time >= began && time <= Date.now(), `${time - began} ms`))
          return soon.record.id
        }))
        // A node that stops stores the times of its keys' last uses.
        const { lastUsedAt } = yield* store.key(used)
        assert.isTrue(lastUsedAt! >= began && lastUsedAt! <= Date.now(), `${lastUsedAt! - began} ms`)
      }
    }).pipe(Effect.scoped, Effect.provide(PgStores.pipe(Layer.provide(makeFreshPglite())))),
  30_000
)
