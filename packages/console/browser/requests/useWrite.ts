import { useQueryClient } from "@tanstack/react-query"
import { type Client, isClientError, type ToolAnswer } from "@tapeline/client"
import { useState } from "react"
import { useAccess } from "../access/Access.tsx"
import { requestTimeoutMs } from "./makeClient.ts"
import { usageKey } from "./sharedRequests.ts"
import { type Action, useAction } from "./useRequest.ts"

/** The service's first message about each invalid argument, keyed by the argument's path, such as `spec.value`. */
export type ArgumentIssues = Readonly<Record<string, string>>

export const toArgumentIssues = (error: unknown): ArgumentIssues =>
  isClientError(error) && error._tag === "InvalidArguments"
    ? Object.fromEntries(error.issues.toReversed().map(({ message, path }) => [path.join("."), message]))
    : {}

export interface Candidate {
  readonly symbol: string
  readonly name: string
}

const candidatesIn = (error: unknown): ReadonlyArray<Candidate> =>
  isClientError(error) && error._tag === "CallFailed" ? error.candidates ?? [] : []

const unknownSymbolIn = (error: unknown): string | undefined =>
  isClientError(error) && error._tag === "CallFailed" && error.code === "unknown_symbol" ? error.message : undefined

/**
 * An action that changes the account's data with a tool call. `issues`, `unknownSymbol` and `candidates` describe the
 * last error.
 */
export interface WriteAction<Input> extends Action<Input, unknown> {
  readonly issues: ArgumentIssues
  readonly unknownSymbol: string | undefined
  /** The instruments that an ambiguous name may mean. */
  readonly candidates: ReadonlyArray<Candidate>
}

interface WriteOptions {
  readonly idempotency_key: string
  readonly timeout_ms: number
}

type Tools = Client["tools"]

/**
 * Returns an action that changes data with the tool `tool`. If a response is lost, the user can run the action again
 * with equal input. The repeated call has the same idempotency key, so the service charges only once.
 */
export const useWrite = <Input, Data>(
  tool: keyof Tools,
  run: (client: Client, input: Input, options: WriteOptions) => Promise<ToolAnswer<string, Data>>,
  onSuccess: (data: Data, input: Input) => void
): WriteAction<Input> => {
  const { identity, idempotencyKeys } = useAccess()
  const queryClient = useQueryClient()
  const [failure, setFailure] = useState<unknown>()
  const action = useAction<Input, Data>(async (client, input) => {
    setFailure(undefined)
    try {
      const options = { idempotency_key: idempotencyKeys.keyFor(tool, input), timeout_ms: requestTimeoutMs }
      const { data } = await run(client, input, options)
      idempotencyKeys.markSucceeded(tool, input)
      return data
    } catch (error) {
      setFailure(error)
      throw error
    } finally {
      void queryClient.invalidateQueries({ queryKey: [identity, ...usageKey] })
    }
  }, onSuccess)
  const reset = () => {
    action.reset()
    setFailure(undefined)
  }
  return {
    ...action,
    reset,
    issues: toArgumentIssues(failure),
    candidates: candidatesIn(failure),
    unknownSymbol: unknownSymbolIn(failure)
  }
}
