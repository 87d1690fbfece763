import { assert, layer as withLayer, type Vitest } from "@effect/vitest"
import { type Admitting, AnswerUsed, IdentityStore, KeyStore, LedgerStore, NotAdmitted } from "@tapeline/core/engine"
import { Effect, type Layer } from "effect"

const run = Date.now().toString(36)
let made = 0
/** A text that no other test uses, in this run or an earlier one. */
const fresh = (): string => `${run}-${++made}`

const now = Date.UTC(2026, 10, 20)
const issuer = "https://id.example"
const all = { after: 0, limit: 100_000 }

const coming = (change: Partial<Admitting> = {}): Admitting => ({
  issuer,
  subject: fresh(),
  answer: fresh(),
  keepMs: 1_000,
  name: "Ada",
  plan: "pro",
  now,
  ...change
})

const admit = (change: Partial<Admitting> = {}) => Effect.flatMap(IdentityStore, (store) => store.admit(coming(change)))

/** The number of accounts. */
const accounts = Effect.flatMap(KeyStore, (keys) => Effect.map(keys.accounts(all), ({ length }) => length))

type Tests = Vitest.MethodsNonLive<KeyStore | IdentityStore | LedgerStore>

const makingAccounts = (it: Tests): void => {
  it.effect("makes an account at the first time, which is as any other; at later times it is that one", () =>
    Effect.gen(function*() {
      const keys = yield* KeyStore
      const subject = fresh()
      const account = yield* admit({ subject })
      assert.deepStrictEqual(account, { id: account.id, name: "Ada", plan: "pro", createdAt: now })
      assert.deepStrictEqual(yield* keys.account(account.id), account)
      // A new name or plan neither creates another account nor changes the existing one.
      const later = { subject, name: "Countess Lovelace", now: now + 1 }
      assert.deepStrictEqual(yield* admit({ ...later, plan: "free" }), account)
      assert.deepStrictEqual(yield* admit({ ...later, plan: null }), account)
      // A plan that an administrator changed stays in effect.
      const ledger = yield* LedgerStore
      yield* ledger.definePlans({ pro: 60_000, lite: 10_000 })
      yield* ledger.changePlan(account.id, "lite")
      assert.strictEqual((yield* admit({ subject })).plan, "lite")
    }))

  it.effect("an identity is its issuer and its subject together, as they are written", () =>
    Effect.gen(function*() {
      const subject = fresh()
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
        const { id } = yield* admit(identity)
        assert.strictEqual((yield* admit(identity)).id, id)
        ids.add(id)
      }
      assert.strictEqual(ids.size, identities.length)
    }))

  it.effect("makes one account, however many come at once by answers of their own", () =>
    Effect.gen(function*() {
      const before = yield* accounts
      for (let round = 0; round < 5; round++) {
        const subject = fresh()
        const found = yield* Effect.all(Array.from({ length: 8 }, () => admit({ subject })), {
          concurrency: "unbounded"
        })
        assert.strictEqual(new Set(found.map(({ id }) => id)).size, 1)
      }
      assert.strictEqual(yield* accounts, before + 5)
    }))

  it.effect("makes none without a plan, and then the answer is not used up", () =>
    Effect.gen(function*() {
      const before = yield* accounts
      const [subject, answer] = [fresh(), fresh()]
      assert.deepStrictEqual(yield* Effect.flip(admit({ subject, answer, plan: null })), new NotAdmitted())
      assert.strictEqual(yield* accounts, before)
      yield* admit({ subject, answer })
      assert.strictEqual(yield* accounts, before + 1)
    }))
}

const usingAnswers = (it: Tests): void => {
  it.effect("lets in once by an answer, however many show it at once, and whoever they are", () =>
    Effect.gen(function*() {
      const before = yield* accounts
      const [answer, subject] = [fresh(), fresh()]
      const results = yield* Effect.forEach(
        Array.from({ length: 8 }, (_, i) => i % 2 === 0 ? subject : fresh()),
        (subject) => Effect.match(admit({ answer, subject }), { onFailure: ({ _tag }) => _tag, onSuccess: () => "in" }),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(results.toSorted(), [...Array.from({ length: 7 }, () => "AnswerUsed"), "in"])
      assert.strictEqual(yield* accounts, before + 1)
      assert.deepStrictEqual(yield* Effect.flip(admit({ answer, subject })), new AnswerUsed())
    }))

  it.effect("remembers an answer for as long as it is told to, and forgets it then", () =>
    Effect.gen(function*() {
      const answer = fresh()
      yield* admit({ answer })
      yield* admit({ now: now + 999 })
      assert.deepStrictEqual(yield* Effect.flip(admit({ answer, now: now + 999 })), new AnswerUsed())
      // Each call deletes a part of the expired answers.
      for (let i = 0; i < 10; i++) yield* admit({ now: now + 1_000 })
      yield* admit({ answer, now: now + 1_000 })
    }))

  it.effect("by the store's own clock an answer lets in once as well", () =>
    Effect.gen(function*() {
      const answer = fresh()
      const account = yield* admit({ answer, now: null, keepMs: 3_600_000 })
      assert.isAbove(account.createdAt, 0)
      assert.deepStrictEqual(
        yield* Effect.flip(admit({ answer, now: null, keepMs: 3_600_000 })),
        new AnswerUsed()
      )
    }))
}

/** The contract tests of `IdentityStore`. The layer is built once, and every test has its own identities. */
export const identityStoreContract = <E>(
  name: string,
  layer: Layer.Layer<KeyStore | IdentityStore | LedgerStore, E>,
  options: { readonly timeoutMs?: number } = {}
): void =>
  withLayer(layer, { excludeTestServices: true, timeout: options.timeoutMs ?? 60_000 })(
    `IdentityStore: ${name}`,
    (it) => {
      makingAccounts(it)
      usingAnswers(it)
    }
  )
