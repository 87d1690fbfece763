import { isClientError } from "@tapeline/client"
import { createAdminClient } from "@tapeline/client/admin"
import { ShieldX } from "lucide-react"
import { type SubmitEvent, useEffect, useRef, useState } from "react"
import { adminToken, useAdminSignInEnd } from "../../access/adminToken.ts"
import { useLanguage } from "../../i18n/LanguageProvider.tsx"
import { useTexts } from "../../i18n/texts.ts"
import { type Problem, toProblem } from "../../requests/problem.ts"
import { Button } from "../../widgets/Button.tsx"
import { Callout } from "../../widgets/Callout.tsx"
import { Code } from "../../widgets/Code.tsx"
import { TextInput } from "../../widgets/fields.tsx"
import { ProblemNote } from "../../widgets/states.tsx"
import { dropsSessionCookie as isUnencrypted } from "../signIn/plainHttp.ts"
import styles from "../signIn/SignInPage.module.css"
import { adminTexts } from "./texts.ts"

/** Returns whether an error means that the token is valid, but lacks the scope of the request. */
const isValidToken = (error: unknown): boolean => isClientError(error) && error._tag === "AdminScopeRequired"

/** Returns whether a text can be an admin token: a text that an HTTP header can contain, and no API key. */
const canBeToken = (text: string): boolean => /^[\x21-\x7e]+$/.test(text) && !text.startsWith("tl_live_")

/** The form for an admin token. The page checks the token with one request, and then holds the token in memory. */
export const AdminSignIn = () => {
  const texts = useTexts(adminTexts)
  const { language } = useLanguage()
  const signInEnd = useAdminSignInEnd()
  const [text, setText] = useState("")
  const [fault, setFault] = useState<string>()
  const [problem, setProblem] = useState<Problem>()
  const [isBusy, setIsBusy] = useState(false)
  const abort = useRef(new AbortController())
  useEffect(() => {
    const controller = new AbortController()
    abort.current = controller
    return () => controller.abort()
  }, [])
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const token = text.trim()
    setProblem(undefined)
    if (!canBeToken(token)) return setFault(texts.tokenWrong)
    const { signal } = abort.current
    setIsBusy(true)
    setFault(undefined)
    createAdminClient({ url: location.origin, token, lang: language })
      .accounts({ limit: 1 }, { timeout_ms: 10_000, max_wait_ms: 1, signal })
      .then(
        () => adminToken.accept(token),
        (error: unknown) => {
          if (signal.aborted) return
          if (isValidToken(error)) return adminToken.accept(token)
          setIsBusy(false)
          const problem = toProblem(error)
          if (problem.kind === "signed out") setFault(texts.tokenUnknown)
          else if (problem.kind === "not there") setFault(texts.noAdminApi)
          else setProblem(problem)
        }
      )
  }
  return (
    <div className={styles["card"]}>
      <h1>{texts.title}</h1>
      {signInEnd !== undefined && (
        <p className="tape medium" role="status">{signInEnd === "idle" ? texts.endedIdle : texts.endedRejected}</p>
      )}
      {isUnencrypted(location) && <Callout icon={ShieldX} title={texts.plainHttp}>{texts.plainHttpDetail}</Callout>}
      <p className="soft">{texts.lead}</p>
      <form className="column gap-3" onSubmit={submit}>
        <TextInput
          label={texts.token}
          value={text}
          onChange={setText}
          hint={texts.tokenHint}
          fault={fault}
          isCode
          isSecret
          placeholder="tl_admin_..."
        />
        {problem !== undefined && <ProblemNote problem={problem} />}
        <Button type="submit" variant="primary" isBusy={isBusy}>{texts.signIn}</Button>
      </form>
      <p className="soft small">{texts.memory}</p>
      <p className="soft small">{texts.createHow}</p>
      <Code label={texts.command} text="npm run tapeline -- tokens create --name NAME --scopes read,write" />
    </div>
  )
}
