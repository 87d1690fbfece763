import { assert, it } from "@effect/vitest"
import {
  Administration,
  Authenticator,
  AuthenticatorSettings,
  generateKey,
  KeyStore,
  layerEngine,
  mapClock,
  sha256,
  StoreUnavailable,
  Toolbox
} from "@tapeline/core"
import { createKeyedAccount, MemoryStores } from "@tapeline/testing"
import { Clock, Context, Effect, Exit, Layer, Ref, Stream } from "effect"
import { TestClock } from "effect/testing"

/** A node on shared stores. The test counts the node's look-ups and can cut off its change notifications. */
const layerNode = (lookUps: Ref.Ref<number>, receivesNotices: Ref.Ref<boolean>, capacity = 100) =>
  Authenticator.layer.pipe(
    Layer.provide(Layer.effect(
      KeyStore,
      Effect.map(KeyStore, (store) => ({
        ...store,
        findByHashes: (hashes: ReadonlyArray<string>) =>
          Effect.andThen(Ref.update(lookUps, (n) => n + 1), store.findByHashes(hashes)),
        isReceivingChanges: Ref.get(receivesNotices),
        changes: Stream.never
      }))
    )),
    Layer.provide(Layer.succeed(AuthenticatorSettings, { ...AuthenticatorSettings.defaultValue(), capacity })),
    Layer.fresh
  )

const engine = layerEngine({ toolbox: Toolbox.layer([]) }).pipe(Layer.provideMerge(MemoryStores))

const setupOf = Effect.fnUntraced(function*(capacity?: number) {
  const lookUps = yield* Ref.make(0)
  const receivesNotices = yield* Ref.make(true)
  const context = yield* Layer.build(layerNode(lookUps, receivesNotices, capacity))
  const node = yield* Effect.provideContext(Authenticator, context)
  return { node, lookUps, receivesNotices }
})

const setup = setupOf()

it.effect("looks up a known key once, and a malformed key never", () =>
  Effect.gen(function*() {
    const { lookUps, node } = yield* setup
    const { key, principal } = yield* createKeyedAccount()
    for (let i = 0; i < 50; i++) assert.deepStrictEqual(yield* node.authenticate(key), principal)
    assert.strictEqual(yield* Ref.get(lookUps), 1)
    for (const invalidHeader of [undefined, "", "Bearer", key.slice(0, -1), `${key}x`, key.toLowerCase()]) {
      assert.strictEqual((yield* Effect.flip(node.authenticate(invalidHeader)))._tag, "InvalidKey")
    }
    assert.strictEqual(yield* Ref.get(lookUps), 1)
  }).pipe(Effect.scoped, Effect.provide(engine)))

it.effect("keeps known keys cached during a flood of invented keys with valid checksums", () =>
  Effect.gen(function*() {
    const { lookUps, node } = yield* setup
    const { key } = yield* createKeyedAccount()
    yield* node.authenticate(key)
    for (let i = 0; i < 500; i++) yield* Effect.flip(node.authenticate(generateKey()))
    yield* Ref.set(lookUps, 0)
    yield* node.authenticate(key)
    assert.strictEqual(yield* Ref.get(lookUps), 0)
  }).pipe(Effect.scoped, Effect.provide(engine)))

it.effect("evicts the least recently used key when the cache is full", () =>
  Effect.gen(function*() {
    const { lookUps, node } = yield* setupOf(3)
    const keys = yield* Effect.replicateEffect(Effect.map(createKeyedAccount(), ({ key }) => key), 4)
    const [first, second, third, fourth] = keys
    for (const key of [first, second, third, first, fourth]) yield* node.authenticate(key)
    const known = yield* Ref.get(lookUps)
    assert.strictEqual(known, 4)
    for (const key of [first, third, fourth]) yield* node.authenticate(key)
    assert.strictEqual(yield* Ref.get(lookUps), known)
    yield* node.authenticate(second)
    assert.strictEqual(yield* Ref.get(lookUps), known + 1)
  }).pipe(Effect.scoped, Effect.provide(engine)))

it.effect("batches concurrent look-ups, and returns each caller its own result", () =>
  Effect.gen(function*() {
    const { lookUps, node } = yield* setup
    const { key, principal } = yield* createKeyedAccount()
    const keys = Array.from({ length: 1_000 }, (_, i) => i % 100 === 0 ? key : generateKey())
    const answers = yield* Effect.forEach(keys, (text) => Effect.exit(node.authenticate(text)), {
      concurrency: "unbounded"
    })
    answers.forEach((answer, i) => assert.strictEqual(Exit.isSuccess(answer), i % 100 === 0))
    assert.deepStrictEqual(answers[0], Exit.succeed(principal))
    assert.isAtMost(yield* Ref.get(lookUps), 8)
  }).pipe(Effect.scoped, Effect.provide(engine)))

it.effect("does not cache a rejection: a key that is issued afterwards works immediately", () =>
  Effect.gen(function*() {
    const store = yield* KeyStore
    const { node } = yield* setup
    const { account } = yield* createKeyedAccount()
    const key = generateKey()
    assert.isTrue(Exit.isFailure(yield* Effect.exit(node.authenticate(key))))
    yield* store.createKey({
      account: account.id,
      name: "late",
      prefix: "tl_live_",
      hash: yield* sha256(key),
      scopes: ["read:us"],
      expiresAt: null,
      limit: 5,
      now: 0
    })
    assert.deepStrictEqual((yield* node.authenticate(key)).scopes, ["read:us"])
  }).pipe(Effect.scoped, Effect.provide(engine)))

it.effect("rejects a revoked key immediately, or within a second on a node without notifications", () =>
  Effect.gen(function*() {
    const administration = yield* Administration
    const firstNode = yield* Authenticator
    const { receivesNotices, node: nodeWithoutNotices } = yield* setup
    const { key, record } = yield* createKeyedAccount()
    yield* firstNode.authenticate(key)
    yield* Ref.set(receivesNotices, false)
    yield* nodeWithoutNotices.authenticate(key)
    yield* administration.revokeKey(record.id)
    assert.isTrue(Exit.isFailure(yield* Effect.exit(firstNode.authenticate(key))))
    // The node without notifications accepts the revoked key from its cache, but for less than a second.
    yield* TestClock.adjust("999 millis")
    assert.isTrue(Exit.isSuccess(yield* Effect.exit(nodeWithoutNotices.authenticate(key))))
    yield* TestClock.adjust("1 millis")
    assert.isTrue(Exit.isFailure(yield* Effect.exit(nodeWithoutNotices.authenticate(key))))
  }).pipe(Effect.scoped, Effect.provide(engine)))

it.effect("rejects a cached key from the millisecond of its expiry", () =>
  Effect.gen(function*() {
    const administration = yield* Administration
    const { node } = yield* setup
    const { key, record } = yield* createKeyedAccount()
    yield* administration.updateKey(record.id, { expiresAt: 1_000 })
    yield* node.authenticate(key)
    yield* TestClock.adjust("999 millis")
    yield* node.authenticate(key)
    yield* TestClock.adjust("1 millis")
    assert.strictEqual((yield* Effect.flip(node.authenticate(key)))._tag, "InvalidKey")
  }).pipe(Effect.scoped, Effect.provide(engine)))

it.effect("expires keys by the store's clock, even if the node's clock is days ahead or behind", () =>
  Effect.gen(function*() {
    const administration = yield* Administration
    const { node } = yield* setup
    const { key, record } = yield* createKeyedAccount()
    yield* administration.updateKey(record.id, { expiresAt: 60_000 })
    const ask = (ms: number) =>
      Effect.updateService(node.authenticate(key), Clock.Clock, (clock) => mapClock(clock, (now) => now + ms)).pipe(
        Effect.exit
      )
    assert.isTrue(Exit.isSuccess(yield* ask(12 * 86_400_000)))
    yield* TestClock.adjust("60 seconds")
    assert.isTrue(Exit.isFailure(yield* ask(-12 * 86_400_000)))
  }).pipe(Effect.scoped, Effect.provide(engine)))

it.effect("writes the time of last use in batches", () =>
  Effect.gen(function*() {
    const administration = yield* Administration
    const authenticator = yield* Authenticator
    const { account, key } = yield* createKeyedAccount()
    yield* TestClock.adjust("5 seconds")
    yield* authenticator.authenticate(key)
    assert.isNull((yield* administration.keys(account.id, { after: 0, limit: 10 }))[0]!.lastUsedAt)
    yield* TestClock.adjust("10 seconds")
    assert.strictEqual((yield* administration.keys(account.id, { after: 0, limit: 10 }))[0]!.lastUsedAt, 5_000)
  }).pipe(Effect.provide(engine)))

it.effect("retries a failed write of the time of last use, unless a later use was written", () =>
  Effect.gen(function*() {
    const { key, record } = yield* createKeyedAccount()
    const { key: second, record: other } = yield* createKeyedAccount()
    const store = yield* KeyStore
    const failureKinds: Array<"away" | "held"> = ["away", "held"]
    const node = Context.get(
      yield* Layer.build(
        Authenticator.layer.pipe(
          Layer.provide(Layer.succeed(KeyStore, {
            ...store,
            recordLastUses: (agoMs, now) => {
              switch (failureKinds.shift()) {
                case "away":
                  return Effect.fail(new StoreUnavailable({ store: "KeyStore", cause: "away" }))
                case "held":
                  return Effect.as(store.recordLastUses(new Map([...agoMs].filter(([id]) => id !== record.id)), now), [
                    record.id
                  ])
                default:
                  return store.recordLastUses(agoMs, now)
              }
            }
          })),
          Layer.fresh
        )
      ),
      Authenticator
    )
    const readLastUses = Effect.map(
      Effect.all([store.key(record.id), store.key(other.id)]),
      (keyRecords) => keyRecords.map(({ lastUsedAt }) => lastUsedAt)
    )
    yield* TestClock.adjust("1 second")
    yield* node.authenticate(key)
    yield* node.authenticate(second)
    yield* TestClock.adjust("9 seconds")
    assert.deepStrictEqual(yield* readLastUses, [null, null])
    yield* node.authenticate(second)
    yield* TestClock.adjust("10 seconds")
    assert.deepStrictEqual(yield* readLastUses, [null, 10_000])
    yield* TestClock.adjust("10 seconds")
    assert.deepStrictEqual(yield* readLastUses, [1_000, 10_000])
  }).pipe(Effect.scoped, Effect.provide(engine)))
