import { assert, layer as withLayer, type Vitest } from "@effect/vitest"
import {
  AccountClosed,
  AdminStore,
  CurrentAdminActor,
  ExternalIdTaken,
  IdempotencyKeyReused,
  KeyStore,
  type NewEvent
} from "@tapeline/core/engine"
import { Deferred, Effect, Fiber, type Layer } from "effect"

const runId = Date.now().toString(36)
let count = 0
/** Returns a text that no other test uses in the current run or an earlier run. */
const makeUniqueText = (): string => `${runId}-${++count}`

const newAccount = Effect.flatMap(KeyStore, (keys) => keys.createAccount({ name: "admin", plan: "pro", now: null }))

const makeEvent = (account: number | null): NewEvent => ({
  type: "account.updated",
  account,
  target: "key 3",
  before: { name: "a" },
  after: { name: "b" }
})

const readEvents = (account: number) =>
  Effect.flatMap(AdminStore, (store) => store.events({ account, after: 0, limit: 100 }))

type Tests = Vitest.MethodsNonLive<AdminStore | KeyStore>

const testEvents = (it: Tests): void => {
  it.effect("records events with the current actor, and returns them by account, type and time", () =>
    Effect.gen(function*() {
      const store = yield* AdminStore
      const { id } = yield* newAccount
      const actor = { actor: "admin:ops", requestId: "r1", address: "192.0.2.1" }
      yield* Effect.provideService(store.record([makeEvent(id), makeEvent(null)]), CurrentAdminActor, actor)
      yield* store.record([{ ...makeEvent(id), type: "account.closed", target: null, before: null, after: null }])
      const [first, second, ...rest] = yield* readEvents(id)
      assert.deepStrictEqual(rest, [])
      assert.deepStrictEqual(first, { ...makeEvent(id), ...actor, id: first!.id, time: first!.time })
      assert.deepInclude(second, {
        type: "account.closed",
        actor: "service",
        before: null,
        after: null,
        address: null
      })
      assert.isAbove(second!.id, first!.id)
      assert.isAtMost(Math.abs(first!.time - Date.now()), 60_000)
      const find = (query: object) => store.events({ account: id, after: 0, limit: 100, ...query })
      assert.deepStrictEqual(yield* find({ types: ["account.closed"] }), [second!])
      assert.deepStrictEqual(yield* find({ after: first!.id }), [second!])
      assert.deepStrictEqual(yield* find({ limit: 1 }), [first!])
      assert.deepStrictEqual(yield* find({ before: Number.MAX_SAFE_INTEGER }), [second!, first!])
      assert.deepStrictEqual(yield* find({ before: Number.MAX_SAFE_INTEGER, limit: 1 }), [second!])
      assert.deepStrictEqual(yield* find({ before: second!.id }), [first!])
      assert.deepStrictEqual(yield* find({ after: first!.id, before: second!.id }), [])
      assert.deepStrictEqual(yield* find({ until: first!.time }), [])
      assert.deepStrictEqual(yield* find({ since: second!.time + 1 }), [])
      assert.isTrue((yield* store.events({ after: first!.id, limit: 1 }))[0]!.account === null)
    }))

  it.effect("deletes old events and keeps recent ones", () =>
    Effect.gen(function*() {
      const store = yield* AdminStore
      const { id } = yield* newAccount
      yield* store.record([makeEvent(id)])
      yield* store.prune(86_400_000, 1_000)
      assert.strictEqual((yield* readEvents(id)).length, 1)
      yield* store.prune(-60_000, 1_000)
      assert.strictEqual((yield* readEvents(id)).length, 0)
    }))
}

const testIdempotency = (it: Tests): void => {
  it.effect("runs a change once per actor and idempotency key, and returns the stored response", () =>
    Effect.gen(function*() {
      const store = yield* AdminStore
      const request = { actor: "admin", key: makeUniqueText(), fingerprint: "f" }
      let runs = 0
      const change = Effect.sync(() => `response ${++runs}`)
      assert.strictEqual(yield* store.once(request, change), "response 1")
      assert.strictEqual(yield* store.once(request, change), "response 1")
      assert.strictEqual(yield* store.once({ ...request, actor: "admin:other" }, change), "response 2")
      assert.deepStrictEqual(
        yield* Effect.flip(store.once({ ...request, fingerprint: "other" }, change)),
        new IdempotencyKeyReused()
      )
      assert.strictEqual(runs, 2)
    }))

  it.effect("runs one of several concurrent changes with an equal idempotency key", () =>
    Effect.gen(function*() {
      const store = yield* AdminStore
      const request = { actor: "admin", key: makeUniqueText(), fingerprint: "f" }
      const [begun, released] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      let runs = 0
      const first = yield* Effect.forkChild(store.once(
        request,
        Effect.andThen(
          Deferred.succeed(begun, undefined),
          Effect.as(Deferred.await(released), `response ${++runs}`)
        )
      ))
      yield* Deferred.await(begun)
      const second = yield* Effect.forkChild(store.once(request, Effect.sync(() => `response ${++runs}`)))
      yield* Deferred.succeed(released, undefined)
      assert.deepStrictEqual([yield* Fiber.join(first), yield* Fiber.join(second)], ["response 1", "response 1"])
    }))

  it.effect("keeps neither the response nor the idempotency key of a failed change", () =>
    Effect.gen(function*() {
      const store = yield* AdminStore
      const request = { actor: "admin", key: makeUniqueText(), fingerprint: "f" }
      assert.strictEqual(yield* Effect.flip(store.once(request, Effect.fail("no" as const))), "no")
      assert.strictEqual(yield* store.once(request, Effect.succeed("yes")), "yes")
    }))
}

const testAccounts = (it: Tests): void => {
  it.effect("changes the given fields of an account, and finds the account by its external id", () =>
    Effect.gen(function*() {
      const keys = yield* KeyStore
      const externalId = makeUniqueText()
      const created = yield* keys.createAccount({
        name: "customer",
        plan: "free",
        externalId,
        metadata: { region: "é\u2028" },
        now: null
      })
      assert.deepStrictEqual(yield* keys.accountByExternalId(externalId), created)
      assert.isNull(yield* keys.accountByExternalId(makeUniqueText()))
      assert.deepStrictEqual(yield* keys.updateAccount(created.id, {}), { before: created, after: created })
      const { after, before } = yield* keys.updateAccount(created.id, {
        name: "renamed",
        metadata: {},
        status: { status: "suspended", reason: "unpaid" }
      })
      assert.deepStrictEqual(before, created)
      const suspended = { name: "renamed", metadata: {}, status: "suspended", statusReason: "unpaid" } as const
      assert.deepStrictEqual(after, { ...created, ...suspended })
      assert.deepStrictEqual(yield* keys.account(created.id), after)
      yield* keys.updateAccount(created.id, { externalId: null })
      assert.isNull(yield* keys.accountByExternalId(externalId))
    }))

  it.effect("rejects an external id of another account, and a new status of a closed account", () =>
    Effect.gen(function*() {
      const keys = yield* KeyStore
      const externalId = makeUniqueText()
      const { id } = yield* keys.createAccount({ name: "first", plan: "free", externalId, now: null })
      const other = yield* newAccount
      const taken = new ExternalIdTaken({ externalId })
      assert.deepStrictEqual(
        yield* Effect.flip(keys.createAccount({ name: "second", plan: "free", externalId, now: null })),
        taken
      )
      assert.deepStrictEqual(yield* Effect.flip(keys.updateAccount(other.id, { externalId })), taken)
      assert.strictEqual((yield* keys.updateAccount(id, { externalId })).after.externalId, externalId)
      yield* keys.updateAccount(id, { status: { status: "closed", reason: null } })
      const reopen = keys.updateAccount(id, { status: { status: "active", reason: null } })
      assert.deepStrictEqual(yield* Effect.flip(reopen), new AccountClosed({ account: id }))
      assert.strictEqual((yield* keys.updateAccount(id, { name: "still editable" })).after.status, "closed")
    }))

  it.effect("revokes all keys of an account once", () =>
    Effect.gen(function*() {
      const keys = yield* KeyStore
      const { id } = yield* newAccount
      for (let i = 0; i < 3; i++) {
        yield* keys.createKey({
          account: id,
          name: "k",
          prefix: "tl_live_abcd",
          hash: makeUniqueText().padEnd(64, "0"),
          scopes: ["read:market"],
          expiresAt: null,
          limit: 10,
          now: null
        })
      }
      assert.strictEqual(yield* keys.revokeAllKeys(id, null), 3)
      assert.strictEqual(yield* keys.revokeAllKeys(id, null), 0)
      assert.isTrue((yield* keys.keys(id, { after: 0, limit: 9 })).every(({ revokedAt }) => revokedAt !== null))
    }))
}

const testRollback = (it: Tests): void => {
  it.effect(
    "undoes all changes and events of a failed transaction",
    () =>
      Effect.gen(function*() {
        const [store, keys] = [yield* AdminStore, yield* KeyStore]
        const { id } = yield* newAccount
        const change = Effect.gen(function*() {
          yield* keys.updateAccount(id, { name: "changed" })
          yield* store.transact(store.record([makeEvent(id)]))
          return yield* Effect.fail("no" as const)
        })
        assert.strictEqual(yield* Effect.flip(store.transact(change)), "no")
        assert.strictEqual((yield* keys.account(id)).name, "admin")
        assert.deepStrictEqual(yield* readEvents(id), [])
      })
  )
}

/** Defines the contract tests of `AdminStore`, together with the accounts that its transactions change. */
export const adminStoreContract = <E>(
  name: string,
  layer: Layer.Layer<AdminStore | KeyStore, E>,
  options: { readonly timeoutMs?: number; readonly rollsBack?: boolean } = {}
): void =>
  withLayer(layer, { excludeTestServices: true, timeout: options.timeoutMs ?? 60_000 })(`AdminStore: ${name}`, (it) => {
    testEvents(it)
    testIdempotency(it)
    if (options.rollsBack ?? true) testRollback(it)
    testAccounts(it)
  })
