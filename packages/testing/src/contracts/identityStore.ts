import { assert, layer as withLayer, type Vitest } from "@effect/vitest"
import {
  AnswerUsed,
  type IdentitySignIn,
  IdentityStore,
  KeyStore,
  LedgerStore,
  newAccountFields,
  NotAdmitted
} from "@tapeline/core/engine"
import { Effect, type Layer } from "effect"

const runId = Date.now().toString(36)
let nameCount = 0
/** Returns a text that no other test uses in the current run or an earlier run. */
const makeUniqueText = (): string => `${runId}-${++nameCount}`

const now = Date.UTC(2026, 10, 20)
const issuer = "https://id.example"
const firstPage = { after: 0, limit: 100_000 }

const makeRequest = (overrides: Partial<IdentitySignIn> = {}): IdentitySignIn => ({
  issuer,
  subject: makeUniqueText(),
  responseHash: makeUniqueText(),
  retainMs: 1_000,
  name: "Ada",
  plan: "pro",
  now,
  ...overrides
})

const admitIdentity = (overrides: Partial<IdentitySignIn> = {}) =>
  Effect.flatMap(
    IdentityStore,
    (store) => Effect.map(store.admit(makeRequest(overrides)), ({ account }) => account)
  )

const countAccounts = Effect.flatMap(KeyStore, (keys) => Effect.map(keys.accounts(firstPage), ({ length }) => length))

type Tests = Vitest.MethodsNonLive<KeyStore | IdentityStore | LedgerStore>

const testAccountCreation = (it: Tests): void => {
  it.effect("creates an account at the first sign-in, and returns the same account later", () =>
    Effect.gen(function*() {
      const keys = yield* KeyStore
      const subject = makeUniqueText()
      const account = yield* admitIdentity({ subject })
      assert.deepStrictEqual(account, { id: account.id, name: "Ada", plan: "pro", createdAt: now, ...newAccountFields })
      assert.deepStrictEqual(yield* keys.account(account.id), account)
      // A new name or plan neither creates another account nor changes the existing account.
      const later = { subject, name: "Countess Lovelace", now: now + 1 }
      assert.deepStrictEqual(yield* admitIdentity({ ...later, plan: "free" }), account)
      assert.deepStrictEqual(yield* admitIdentity({ ...later, plan: null }), account)
      const ledger = yield* LedgerStore
      yield* ledger.definePlans({ pro: 60_000, lite: 10_000 })
      yield* ledger.changePlan(account.id, "lite")
      assert.strictEqual((yield* admitIdentity({ subject })).plan, "lite")
    }))

  it.effect("reports whether the sign-in created the account", () =>
    Effect.gen(function*() {
      const store = yield* IdentityStore
      const subject = makeUniqueText()
      assert.isTrue((yield* store.admit(makeRequest({ subject }))).isNew)
      assert.isFalse((yield* store.admit(makeRequest({ subject }))).isNew)
    }))

  it.effect("identifies a user by the exact issuer and subject", () =>
    Effect.gen(function*() {
      const subject = makeUniqueText()
      const identities = [
        { issuer, subject },
        { issuer: `${issuer}/`, subject },
        { issuer, subject: subject.toUpperCase() },
        { issuer, subject: ` ${subject}` },
        { issuer: `${issuer}${subject}`, subject: "1" },
        { issuer, subject: `${subject}'; drop table identities; -- "\\ \u{1f4c8} é` },
        { issuer, subject: `${subject} é`.normalize("NFD") },
        { issuer, subject: `${subject} é`.normalize("NFC") },
        { issuer, subject: `${"9".repeat(255 - subject.length)}${subject}` },
        { issuer, subject: subject.padStart(255, "\u{d55c}") }
      ]
      const ids = new Set<number>()
      for (const identity of identities) {
        const { id } = yield* admitIdentity(identity)
        assert.strictEqual((yield* admitIdentity(identity)).id, id)
        ids.add(id)
      }
      assert.strictEqual(ids.size, identities.length)
    }))

  it.effect("creates one account for concurrent sign-ins with different responses of the provider", () =>
    Effect.gen(function*() {
      const before = yield* countAccounts
      for (let round = 0; round < 5; round++) {
        const subject = makeUniqueText()
        const admitted = yield* Effect.all(Array.from({ length: 8 }, () => admitIdentity({ subject })), {
          concurrency: "unbounded"
        })
        assert.strictEqual(new Set(admitted.map(({ id }) => id)).size, 1)
      }
      assert.strictEqual(yield* countAccounts, before + 5)
    }))

  it.effect("creates no account without a plan, and does not mark the provider's response as used", () =>
    Effect.gen(function*() {
      const before = yield* countAccounts
      const [subject, responseHash] = [makeUniqueText(), makeUniqueText()]
      assert.deepStrictEqual(
        yield* Effect.flip(admitIdentity({ subject, responseHash, plan: null })),
        new NotAdmitted()
      )
      assert.strictEqual(yield* countAccounts, before)
      yield* admitIdentity({ subject, responseHash })
      assert.strictEqual(yield* countAccounts, before + 1)
    }))
}

const testAnswerReuse = (it: Tests): void => {
  it.effect("accepts a response of the provider once, under concurrent use by the same or other users", () =>
    Effect.gen(function*() {
      const before = yield* countAccounts
      const [responseHash, subject] = [makeUniqueText(), makeUniqueText()]
      const results = yield* Effect.forEach(
        Array.from({ length: 8 }, (_, i) => i % 2 === 0 ? subject : makeUniqueText()),
        (subject) =>
          Effect.match(admitIdentity({ responseHash, subject }), {
            onFailure: ({ _tag }) => _tag,
            onSuccess: () => "in"
          }),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(results.toSorted(), [...Array.from({ length: 7 }, () => "AnswerUsed"), "in"])
      assert.strictEqual(yield* countAccounts, before + 1)
      assert.deepStrictEqual(yield* Effect.flip(admitIdentity({ responseHash, subject })), new AnswerUsed())
    }))

  it.effect("remembers a used response for its retention time", () =>
    Effect.gen(function*() {
      const responseHash = makeUniqueText()
      yield* admitIdentity({ responseHash })
      yield* admitIdentity({ now: now + 999 })
      assert.deepStrictEqual(yield* Effect.flip(admitIdentity({ responseHash, now: now + 999 })), new AnswerUsed())
      // Each admission deletes only a part of the expired responses.
      for (let i = 0; i < 10; i++) yield* admitIdentity({ now: now + 1_000 })
      yield* admitIdentity({ responseHash, now: now + 1_000 })
    }))

  it.effect("accepts a response once if the store uses its own clock", () =>
    Effect.gen(function*() {
      const responseHash = makeUniqueText()
      const account = yield* admitIdentity({ responseHash, now: null, retainMs: 3_600_000 })
      assert.isAbove(account.createdAt, 0)
      assert.deepStrictEqual(
        yield* Effect.flip(admitIdentity({ responseHash, now: null, retainMs: 3_600_000 })),
        new AnswerUsed()
      )
    }))
}

/** Defines the contract tests of `IdentityStore`. */
export const identityStoreContract = <E>(
  name: string,
  layer: Layer.Layer<KeyStore | IdentityStore | LedgerStore, E>,
  options: { readonly timeoutMs?: number } = {}
): void =>
  withLayer(layer, { excludeTestServices: true, timeout: options.timeoutMs ?? 60_000 })(
    `IdentityStore: ${name}`,
    (it) => {
      testAccountCreation(it)
      testAnswerReuse(it)
    }
  )
