import { Effect } from "effect"
import fc from "fast-check"
import { atModelTime, type Command, makeCommand } from "./modelCommand.ts"

const keyIndex = fc.constantFrom(0, 1, 2)
const accountIndex = fc.nat({ max: 2 })

const limitKeyCommand = fc.record({
  account: accountIndex,
  key: fc.constantFrom(0, 0, 1, 1, 2, 3),
  credits: fc.constantFrom(null, 0, 3, 10, 30)
}).map(({ account, credits, key }) =>
  makeCommand(`limit key ${key} of account ${account} to ${credits}`, (auditor, { store }) => {
    const modelKey = auditor.keysOf(account)[key]
    return Effect.map(
      store.limitKey(modelKey?.id ?? 999_999_999, credits, atModelTime(auditor)),
      (answer) => auditor.applyKeyLimit(modelKey, credits, answer)
    )
  })
)

const keyCreditsCommand = fc.record({ account: accountIndex, key: keyIndex }).map(({ account, key }) =>
  makeCommand(`credits of key ${key} of account ${account}`, (auditor, { store }) => {
    const modelKey = auditor.keysOf(account)[key]!
    return Effect.map(
      store.keyCredits([999_999_999, modelKey.id], atModelTime(auditor)),
      (answer) => auditor.checkKeyCredits(modelKey, answer)
    )
  })
)

/** The commands of a model run that concern the limits of keys. */
export const keyLimitCommands: Array<fc.Arbitrary<Command>> = [limitKeyCommand, limitKeyCommand, keyCreditsCommand]
