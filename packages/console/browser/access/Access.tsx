import { useQueryClient } from "@tanstack/react-query"
import type { Client } from "@tapeline/client"
import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useRef, useState } from "react"
import { useLanguage } from "../i18n/LanguageProvider.tsx"
import type { EarlyResponses } from "../requests/EarlyResponses.ts"
import type { IdempotencyKeys } from "../requests/idempotencyKeys.ts"
import { makeClient, requestTimeoutMs } from "../requests/makeClient.ts"
import { toProblem } from "../requests/problem.ts"
import { detectAccess, type DetectedAccess, isNotSignedIn } from "./detectAccess.ts"
import { SignInSession } from "./SignInSession.ts"

/** The credentials of the page's requests: the browser's session, or a pasted key that only the page holds. */
export type Credentials =
  | { readonly kind: "session"; readonly account: SignedIn }
  | { readonly kind: "key"; readonly key: string }
  | {
    readonly kind: "nothing"
    /** Whether the session ended although the user did not sign out. */
    readonly isSessionLost: boolean
  }

export type SignedIn = Awaited<ReturnType<Client["account"]["read"]>>

/** The accounts before and after the browser signed in to another account. */
export interface AccountChange {
  readonly previous: SignedIn
  readonly current: SignedIn
}

type AccessState =
  | Credentials
  | { readonly kind: "unknown" }
  | { readonly kind: "unreachable" }
  | { readonly kind: "other" } & AccountChange

export interface Access {
  readonly credentials: Credentials
  readonly client: Client
  /** A number that changes with each sign-in, so that one user's cached data is never shown to another user. */
  readonly identity: number
  readonly idempotencyKeys: IdempotencyKeys
  /** The responses that the page requested before its components were loaded. */
  readonly earlyResponses: EarlyResponses
  readonly signal: AbortSignal
  /** Keeps the page open until the returned function is called, even if the session ends meanwhile. */
  readonly holdOpen: () => () => void
  readonly acceptSession: (account: SignedIn) => void
  readonly acceptKey: (key: string) => void
  readonly signOut: () => Promise<void>
  /**
   * Ends the page's sign-in if an error means that the account is no longer signed in, and returns whether the sign-in
   * ended.
   */
  readonly endIfSignedOut: (error: unknown) => boolean
}

const AccessContext = createContext<Access | undefined>(undefined)

export const useAccess = (): Access => {
  const access = use(AccessContext)
  if (access === undefined) throw new Error("Access must wrap every page")
  return access
}

/** The access that was detected before the first render, and the responses that were requested with this access. */
export interface InitialAccess {
  readonly state: DetectedAccess
  readonly earlyResponses: EarlyResponses
}

const useAccessState = (initial: InitialAccess | undefined) => {
  const [accessState, setAccessState] = useState<AccessState>(initial?.state ?? { kind: "unknown" })
  const { language } = useLanguage()
  const hasStarted = useRef(initial !== undefined)
  const detectAgain = useCallback(() => {
    setAccessState({ kind: "unknown" })
    void detectAccess(language, false).then(setAccessState)
  }, [language])
  useEffect(() => {
    if (hasStarted.current) return
    hasStarted.current = true
    detectAgain()
  }, [detectAgain])
  return { accessState, setAccessState, detectAgain }
}

/**
 * Shows the pages with the access of `initial`, or else after it has detected the signed-in account. Shows `waiting`
 * until the service responds. Calls `renderUnreachable` if the service does not respond, and `renderOther` after a
 * sign-in to another account.
 */
export const AccessProvider = ({ children, initial, renderOther, renderUnreachable, waiting }: {
  readonly children: ReactNode
  readonly initial: InitialAccess | undefined
  readonly waiting: ReactNode
  readonly renderUnreachable: (retry: () => void) => ReactNode
  readonly renderOther: (other: AccountChange) => ReactNode
}) => {
  const { accessState, detectAgain, setAccessState } = useAccessState(initial)
  const [signInSession, setSignInSession] = useState(() => new SignInSession(0, initial?.earlyResponses))
  const queryClient = useQueryClient()
  const { language } = useLanguage()
  const access = useMemo((): Access | undefined => {
    if (accessState.kind === "unknown" || accessState.kind === "unreachable" || accessState.kind === "other") {
      return undefined
    }
    const switchTo = (next: AccessState, then: () => void = () => undefined) =>
      signInSession.end(() => {
        queryClient.clear()
        setSignInSession(new SignInSession(signInSession.identity + 1))
        setAccessState(next)
        then()
      })
    const loseSession = () => switchTo({ kind: "nothing", isSessionLost: accessState.kind !== "nothing" })
    const account = accessState.kind === "session" ? accessState.account : undefined
    const client = makeClient(accessState.kind === "key" ? accessState.key : undefined, language, account?.id)
    /** Requests the account of the browser's current session. */
    const checkAccount = (previous: SignedIn) =>
      switchTo(
        { kind: "unknown" },
        () =>
          makeClient(undefined, language).account.read({ timeout_ms: requestTimeoutMs }).then(
            (current) =>
              setAccessState(
                current.id === previous.id
                  ? { kind: "session", account: current }
                  : { kind: "other", previous, current }
              ),
            (error: unknown) =>
              setAccessState(isNotSignedIn(error) ? { kind: "nothing", isSessionLost: true } : { kind: "unreachable" })
          )
      )
    const endIfSignedOut = (error: unknown) => {
      const { kind } = toProblem(error)
      if (kind === "other account" && account !== undefined) checkAccount(account)
      else if (kind === "signed out") loseSession()
      else return false
      return true
    }
    return {
      credentials: accessState,
      client,
      identity: signInSession.identity,
      idempotencyKeys: signInSession.idempotencyKeys,
      earlyResponses: signInSession.earlyResponses,
      signal: signInSession.signal,
      holdOpen: signInSession.holdOpen,
      acceptSession: (account) => switchTo({ kind: "session", account }),
      acceptKey: (key) => switchTo({ kind: "key", key }),
      signOut: async () => {
        try {
          if (account !== undefined) await client.account.signOut()
        } catch (error) {
          // A sign-out succeeds even if the session has already ended elsewhere.
          if (!isNotSignedIn(error)) {
            if (endIfSignedOut(error)) return
            throw error
          }
        }
        switchTo({ kind: "nothing", isSessionLost: false })
      },
      endIfSignedOut
    }
  }, [accessState, queryClient, language, setAccessState, signInSession])
  if (accessState.kind === "unreachable") return renderUnreachable(detectAgain)
  if (accessState.kind === "other") return renderOther(accessState)
  return access === undefined ? waiting : <AccessContext value={access}>{children}</AccessContext>
}
