import { afterAll, afterEach } from "vitest"
import { Description, type Json } from "./Description.ts"
import { judge, type Seen } from "./judge.ts"
import { taken, watch } from "./wire.ts"

const described = (document: () => Json): () => Description => {
  let made: Description | undefined
  return () => made ??= new Description(document())
}

const told: Array<Seen> = []

const others: Array<() => Description> = []
const foreign = new Set<string>()

/** Leaves out what other services answer at these paths, which this file's tests call as well. */
export const ofOtherServices = (...paths: ReadonlyArray<string>): void => {
  for (const path of paths) foreign.add(path)
}

/** Has the responses of this file's tests judged by these documents too: of servers of another shape than most have. */
export const describedAlsoBy = (...documents: ReadonlyArray<() => Json>): void =>
  void others.push(...documents.map(described))

/** Drops the responses since the last check, so that a test with many responses does not fill the memory. */
export const forgetResponses = (): void => void taken()

/** Has a response judged that came over a socket of a test's own. */
export const tell = (seen: ReadonlyArray<Seen>): void => void told.push(...seen)

/**
 * Judges every response that a test sees by the document, and fails the test that saw one which the document does not
 * describe. For a setup file of tests; the document is asked for when there is something to judge, once.
 */
export const judgeResponses = (document: () => Json): void => {
  watch()
  others.length = 0
  foreign.clear()
  const description = described(document)
  const settle = (): void => {
    const seen = [...taken(), ...told.splice(0)].filter(({ path }) => !foreign.has(path))
    if (seen.length === 0) return
    const by = description()
    const faults = new Set(seen.flatMap((one) => {
      const found = judge(by, one)
      return found.length > 0 && others.some((other) => judge(other(), one).length === 0) ? [] : found
    }))
    if (faults.size > 0) throw new Error(`The document does not describe what came:\n${[...faults].join("\n")}`)
  }
  afterEach(settle)
  afterAll(settle)
}
