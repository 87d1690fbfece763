import { type ChargeRequest, monthAfter } from "@tapeline/core/engine"
import { Effect } from "effect"
import fc from "fast-check"
import type { Auditor } from "./auditor.ts"
import { accountArbitrary, actors, idempotencyArbitrary, makeActor } from "./commandArbitraries.ts"
import { atModelTime, type Command, type LedgerUnderTest, makeCommand } from "./modelCommand.ts"

const shapeArbitrary = fc.record({
  /** The index after the last account is that of an unknown account. */
  account: fc.oneof({ weight: 30, arbitrary: accountArbitrary }, { weight: 1, arbitrary: fc.constant(3) }),
  actor: fc.constantFrom(...actors),
  tool: fc.constantFrom("get_price", "get_book"),
  credits: fc.constantFrom(1, 1, 2, 5),
  idempotency: fc.oneof(fc.constant(null), idempotencyArbitrary),
  response: fc.constantFrom("{\"data\":1}", "{\"data\":2}", null)
})

type Shape = typeof shapeArbitrary extends fc.Arbitrary<infer Value> ? Value : never

const makeRequests = (auditor: Auditor, { store }: LedgerUnderTest, shapes: ReadonlyArray<Shape>) =>
  Effect.map(store.callIds(shapes.length), (ids) =>
    shapes.map(({ account, actor, ...shape }, i): ChargeRequest => ({
      ...shape,
      id: ids[i]!,
      account: auditor.accounts[account] ?? 999_999_999,
      actor: makeActor(auditor, account, actor),
      isRepeated: false
    })))

const chargeCommand = fc.array(shapeArbitrary, { minLength: 1, maxLength: 4 }).map((shapes) =>
  makeCommand(`charge ${JSON.stringify(shapes)}`, (auditor, ledger) =>
    Effect.gen(function*() {
      const requests = yield* makeRequests(auditor, ledger, shapes)
      auditor.checkCharged(requests, yield* ledger.store.charge(requests, atModelTime(auditor)))
      auditor.charges.push(...requests.map((request) => ({ request, month: auditor.month })))
    }))
)

/** Concurrent charges of different calls. */
const chargeRaceCommand = fc.record({ shape: shapeArbitrary, callers: fc.integer({ min: 2, max: 6 }) }).map(
  ({ callers, shape }) =>
    makeCommand(`${callers} racing charges ${JSON.stringify(shape)}`, (auditor, ledger) =>
      Effect.gen(function*() {
        const shapes = Array.from({ length: callers }, () => ({ ...shape, idempotency: null }))
        const requests = yield* makeRequests(auditor, ledger, shapes)
        const answers = yield* Effect.forEach(requests, (request) =>
          Effect.map(ledger.store.charge([request], atModelTime(auditor)), ([answer]) => answer!), {
          concurrency: "unbounded"
        })
        auditor.checkRacedCharges(requests, answers)
      }))
)

const findRepeatable = (auditor: Readonly<Auditor>) =>
  auditor.charges.filter(({ month }) => monthAfter(month, 1) >= auditor.month)

/** Concurrent repetitions of a charge of this or the previous month. */
const repeatChargeCommand = fc.record({ back: fc.nat({ max: 12 }), callers: fc.constantFrom(1, 1, 3) }).map(
  ({ back, callers }) =>
    makeCommand(
      `${callers} repetitions of charge ${back}`,
      (auditor, { store }) => {
        const charges = findRepeatable(auditor)
        const { request } = charges[charges.length - 1 - back % charges.length]!
        const repeated = { ...request, isRepeated: true }
        return Effect.map(
          Effect.forEach(Array.from({ length: callers }), () =>
            Effect.map(store.charge([repeated], atModelTime(auditor)), ([answer]) => answer!), {
            concurrency: "unbounded"
          }),
          (answers) =>
            auditor.checkRacedCharges(
              answers.map(() =>
                repeated
              ),
              answers
            )
        )
      },
      (auditor) => findRepeatable(auditor).length > 0
    )
)

const recordFailuresCommand = fc.array(shapeArbitrary, { minLength: 1, maxLength: 3 }).map((shapes) =>
  makeCommand(`record failures ${JSON.stringify(shapes)}`, (auditor, ledger) =>
    Effect.gen(function*() {
      const calls = yield* makeRequests(auditor, ledger, shapes)
      yield* ledger.store.recordFailures(calls, atModelTime(auditor))
      auditor.applyFailures(calls)
    }))
)

/** The commands of a model run that concern charges without a reservation. */
export const chargeCommands: Array<fc.Arbitrary<Command>> = [
  chargeCommand,
  chargeCommand,
  chargeCommand,
  chargeRaceCommand,
  repeatChargeCommand,
  repeatChargeCommand,
  recordFailuresCommand
]
