import { assert, it } from "@effect/vitest"
import { makeProblem, type Rejection } from "@tapeline/api"
import {
  ChargeInDoubt,
  ExpiryPassed,
  formatMessage,
  IdempotencyKeyReused,
  InvalidArguments,
  InvalidKey,
  InvalidSession,
  KeyLimit,
  LinkRefused,
  OverLimit,
  PlanNotConfigured,
  RateLimited,
  RequestInProgress,
  ScopeRequired,
  StoreUnavailable,
  UnknownAccount,
  UnknownKey,
  UnknownPlan,
  UnknownSession,
  UnknownTool,
  UserIdNotAccepted
} from "@tapeline/core"

const cause = new Error("gone")
const issues = [{ path: ["coins", 0], message: "Expected a string." }, { path: [], message: "Too deep." }]

/** Rejected requests whose HTTP response contains exactly the message of the error. */
const same: ReadonlyArray<Rejection> = [
  new UserIdNotAccepted(),
  new UnknownTool({ tool: "get_riches", nearest: null }),
  new ScopeRequired({ required_scope: "read:us" }),
  new OverLimit({ price: 20, credits_left: 7, upgrades: [], renewsAt: 0 }),
  new IdempotencyKeyReused(),
  new RequestInProgress({ retryAfterMs: 1 }),
  new ChargeInDoubt({ cause }),
  new InvalidKey(),
  new RateLimited({ limit: 60, resetMs: 11_001 }),
  new UnknownAccount({ account: 1 }),
  new UnknownKey({ key: 2 }),
  new UnknownPlan({ plan: "gold", known: ["free", "pro"] }),
  new PlanNotConfigured({ plan: "gold" }),
  new KeyLimit({ limit: 1 }),
  new InvalidSession(),
  new LinkRefused({ reason: "expired" }),
  new UnknownSession({ session: 3 })
]

it("a rejection's message equals the detail of its problem over HTTP", () => {
  for (const error of same) {
    const { problem } = makeProblem(error, "request", (message) => formatMessage(message, "en"))
    assert.strictEqual(error.message, problem.detail)
  }
  assert.strictEqual(new InvalidArguments({ count: 2, issues }).message, "coins.0: Expected a string. Too deep.")
  assert.match(new ExpiryPassed({ expiresAt: 0 }).message, /future/)
  assert.match(new StoreUnavailable({ store: "ledger", cause }).message, /`ledger`/)
})
