import { useQueryClient } from "@tanstack/react-query"
import { type AdminClient, createAdminClient } from "@tapeline/client/admin"
import { createContext, type ReactNode, use, useEffect, useMemo } from "react"
import { adminToken } from "../../access/adminToken.ts"
import type { HeldToken } from "../../access/AdminTokenHolder.ts"
import { useLanguage } from "../../i18n/LanguageProvider.tsx"
import { makeIdempotencyKeys } from "../../requests/idempotencyKeys.ts"
import { requestTimeoutMs } from "../../requests/makeClient.ts"
import { toProblem } from "../../requests/problem.ts"
import {
  type Action,
  type RequestAccess,
  type RequestOptions,
  type RequestState,
  type SendRequest,
  useActionWith,
  useRequestWith
} from "../../requests/useRequest.ts"

/**
 * The idempotency keys of changes that set a state. A key is kept for ten minutes only, because a later equal change
 * may restore an earlier state.
 */
const stateKeys = makeIdempotencyKeys(undefined, undefined, { settingCalls: new Set(["changeAccount", "pauseTask"]) })

/**
 * The idempotency keys of adjustments. The service stores the response to a change for 24 hours. An adjustment whose
 * response was lost keeps its key for as long, so a repeat does not adjust the credits twice.
 */
const adjustmentKeys = makeIdempotencyKeys(undefined, undefined, { retentionMs: 86_400_000 })

const AdminAccessContext = createContext<RequestAccess<AdminClient> | undefined>(undefined)

const useAdminAccess = (): RequestAccess<AdminClient> => {
  const access = use(AdminAccessContext)
  if (access === undefined) throw new Error("AdminAccessProvider must wrap every admin page")
  return access
}

/** Provides the client of the admin API. If the service rejects the token, the page forgets the token. */
export const AdminAccessProvider = ({ children, held: { signIn, token } }: {
  readonly held: HeldToken
  readonly children: ReactNode
}) => {
  const { language } = useLanguage()
  const access = useMemo((): RequestAccess<AdminClient> => ({
    client: createAdminClient({ url: location.origin, token, lang: language }),
    identity: `admin ${signIn}`,
    endIfSignedOut: (error) => {
      if (toProblem(error).kind !== "signed out") return false
      adminToken.reject(signIn)
      return true
    }
  }), [signIn, token, language])
  const queryClient = useQueryClient()
  const { identity } = access
  // Without the removal, the cache would keep the data for some minutes after the sign-out.
  useEffect(() => () => queryClient.removeQueries({ queryKey: [identity] }), [queryClient, identity])
  return <AdminAccessContext value={access}>{children}</AdminAccessContext>
}

export const useAdminRequest = <A extends object>(
  key: ReadonlyArray<unknown>,
  request: SendRequest<AdminClient, A>,
  options?: RequestOptions
): RequestState<A> => useRequestWith(useAdminAccess(), key, request, options)

interface ChangeOptions {
  readonly idempotency_key: string
  readonly timeout_ms: number
}

/**
 * Returns an action that changes data. If a response is lost, the user can run the action again with equal input. The
 * repeated request has the same idempotency key, so the service makes the change once. After each attempt, the page
 * requests all admin data again, because a failed change may have been made.
 */
export const useAdminChange = <Input, A>(
  name: "adjustCredits" | "changeAccount" | "pauseTask" | "revokeAll" | "revokeKey" | "stopAnswer",
  run: (client: AdminClient, input: Input, options: ChangeOptions) => Promise<A>,
  onSuccess: (result: A, input: Input) => void
): Action<Input, A> => {
  const access = useAdminAccess()
  const queryClient = useQueryClient()
  const idempotencyKeys = name === "adjustCredits" ? adjustmentKeys : stateKeys
  return useActionWith(access, async (client, input: Input) => {
    try {
      const options = { idempotency_key: idempotencyKeys.keyFor(name, input), timeout_ms: requestTimeoutMs }
      const result = await run(client, input, options)
      idempotencyKeys.markSucceeded(name, input)
      return result
    } finally {
      void queryClient.invalidateQueries({ queryKey: [access.identity] })
    }
  }, onSuccess)
}

/** Returns an action that reads data once, for example to download the data. */
export const useAdminAction = <Input, A>(
  run: (client: AdminClient, input: Input) => Promise<A>,
  onSuccess: (result: A, input: Input) => void
): Action<Input, A> => useActionWith(useAdminAccess(), run, onSuccess)
