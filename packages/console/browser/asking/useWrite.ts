import { useQueryClient } from "@tanstack/react-query"
import { type Client, isClientError, type ToolAnswer } from "@tapeline/client"
import { useState } from "react"
import { useAccess } from "../access/Access.tsx"
import { patienceMs } from "./service.ts"
import { usageKey } from "./usageKey.ts"
import { type Doing, useDo } from "./useAsk.ts"

/** What the service found wrong with arguments, by their paths: `stop`, `spec.value`; of several the first. */
export type Refused = Readonly<Record<string, string>>

/** The same of an error; of another one nothing. */
export const refusedIn = (error: unknown): Refused =>
  isClientError(error) && error._tag === "InvalidArguments"
    ? Object.fromEntries(error.issues.toReversed().map(({ message, path }) => [path.join("."), message]))
    : {}

export interface Meant {
  readonly symbol: string
  readonly name: string
}

const meantBy = (error: unknown): ReadonlyArray<Meant> =>
  isClientError(error) && error._tag === "CallFailed" ? error.candidates ?? [] : []

const unknownIn = (error: unknown): string | undefined =>
  isClientError(error) && error._tag === "CallFailed" && error.code === "unknown_symbol" ? error.message : undefined

/** A tool's call that changes something of the account's. */
export interface Writing<Input> extends Doing<Input, unknown> {
  readonly refused: Refused
  /** That a name is not known, as the service says it. */
  readonly unknown: string | undefined
  /** What such a name may mean. */
  readonly meant: ReadonlyArray<Meant>
}

interface WriteOptions {
  readonly idempotency_key: string
  readonly timeout_ms: number
}

type Tools = Client["tools"]

/**
 * Makes a call of a tool that writes, and is paid for, when it is `run`. Run again with the same input after no answer
 * came it is the same call, whichever form makes it: done once, paid for once.
 */
export const useWrite = <Input, Data>(
  tool: keyof Tools,
  act: (client: Client, input: Input, options: WriteOptions) => Promise<ToolAnswer<string, Data>>,
  done: (data: Data, input: Input) => void
): Writing<Input> => {
  const { identity, once } = useAccess()
  const kept = useQueryClient()
  const [failure, setFailure] = useState<unknown>()
  const doing = useDo<Input, Data>(async (client, input) => {
    setFailure(undefined)
    try {
      const options = { idempotency_key: once.keyOf(tool, input), timeout_ms: patienceMs }
      const { data } = await act(client, input, options)
      once.done(tool, input)
      return data
    } catch (error) {
      setFailure(error)
      throw error
    } finally {
      void kept.invalidateQueries({ queryKey: [identity, ...usageKey] })
    }
  }, done)
  const forget = () => {
    doing.forget()
    setFailure(undefined)
  }
  return { ...doing, forget, refused: refusedIn(failure), meant: meantBy(failure), unknown: unknownIn(failure) }
}
