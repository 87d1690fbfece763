import { useQueryClient } from "@tanstack/react-query"
import { type Client, isClientError, type ToolAnswer } from "@tapeline/client"
import { useState } from "react"
import { useAccess } from "../access/Access.tsx"
import { patienceMs } from "./service.ts"
import { usageKey } from "./usageKey.ts"
import { type Doing, useDo } from "./useAsk.ts"

/** The service's messages about arguments, by path, such as `stop` or `spec.value`; the first one of each path. */
export type Refused = Readonly<Record<string, string>>

/** The messages of an `InvalidArguments` error; empty for other errors. */
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

/** A tool call that changes data of the account. */
export interface Writing<Input> extends Doing<Input, unknown> {
  readonly refused: Refused
  /** The service's message that a name is unknown. */
  readonly unknown: string | undefined
  /** The instruments that an unknown name may mean. */
  readonly meant: ReadonlyArray<Meant>
}

interface WriteOptions {
  readonly idempotency_key: string
  readonly timeout_ms: number
}

type Tools = Client["tools"]

/**
 * Calls a tool that writes, and is charged, when `run` is called. If no response arrived, a repeated `run` with the
 * same input is the same call, whichever form sends it: it runs once and is charged once.
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
