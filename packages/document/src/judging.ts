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

/** Skips responses of other services at these paths that this file's tests also call. */
export const ofOtherServices = (...paths: ReadonlyArray<string>): void => {
  for (const path of paths) foreign.add(path)
}

/** Also accepts responses that match one of these documents, for servers whose API differs from the usual one. */
export const describedAlsoBy = (...documents: ReadonlyArray<() => Json>): void =>
  void others.push(...documents.map(described))

/** Discards the responses since the last check, so that a test with many responses does not fill the memory. */
export const forgetResponses = (): void => void taken()

/** Adds responses that a test received over its own socket. */
export const tell = (seen: ReadonlyArray<Seen>): void => void told.push(...seen)

/**
 * Checks every response that a test receives against the document, and fails a test that received an undescribed
 * response. For a setup file of tests. The document is loaded once, when the first response is checked.
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
