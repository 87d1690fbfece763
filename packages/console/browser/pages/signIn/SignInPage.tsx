import { isClientError } from "@tapeline/client"
import { ShieldX } from "lucide-react"
import { type SubmitEvent, useState } from "react"
import { useAccess } from "../../access/Access.tsx"
import { useLanguage } from "../../i18n/LanguageProvider.tsx"
import { useTexts } from "../../i18n/texts.ts"
import { makeClient } from "../../requests/makeClient.ts"
import { useLocation } from "../../router/location.ts"
import { Button } from "../../widgets/Button.tsx"
import { Callout } from "../../widgets/Callout.tsx"
import { Code } from "../../widgets/Code.tsx"
import { TextInput } from "../../widgets/fields.tsx"
import { Skeleton } from "../../widgets/states.tsx"
import { openHomePage } from "../openHomePage.ts"
import { signInPath } from "./link.ts"
import { LinkConfirmation } from "./LinkConfirmation.tsx"
import { dropsSessionCookie, localAddress } from "./plainHttp.ts"
import { parseRejection, rejectionTexts } from "./rejections.ts"
import { SignInOptions } from "./SignInOptions.tsx"
import styles from "./SignInPage.module.css"
import { signInTexts } from "./texts.ts"
import { useLinkSignIn } from "./useLinkSignIn.ts"

const KeyForm = () => {
  const texts = useTexts(signInTexts)
  const { language } = useLanguage()
  const { acceptKey } = useAccess()
  const [text, setText] = useState("")
  const [fault, setFault] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const key = text.trim()
    if (!/^tl_live_[0-9A-Za-z]+$/.test(key)) return setFault(texts.keyWrong)
    setIsBusy(true)
    setFault(undefined)
    makeClient(key, language).usage({}, { timeout_ms: 10_000 }).then(
      () => {
        acceptKey(key)
        openHomePage(signInPath)
      },
      (error: unknown) => {
        setIsBusy(false)
        setFault(isClientError(error) && error._tag === "InvalidKey" ? texts.keyUnknown : String(error))
      }
    )
  }
  return (
    <form className="column gap-3" onSubmit={submit}>
      <TextInput
        label={texts.key}
        value={text}
        onChange={setText}
        hint={texts.keyHint}
        fault={fault}
        isCode
        isSecret
        placeholder="tl_live_..."
      />
      <Button type="submit" isBusy={isBusy}>{texts.useKey}</Button>
    </form>
  )
}

/**
 * The sign-in page. A user signs in with an OpenID provider, with the sign-in link in the URL, or with a pasted API
 * key.
 */
export const SignInPage = () => {
  const texts = useTexts(signInTexts)
  const { credentials } = useAccess()
  const rejectionMessages = useTexts(rejectionTexts)
  const { query } = useLocation()
  const { discard, signInWithLink, linkSignIn } = useLinkSignIn()
  const rejection = linkSignIn === null ? parseRejection(query) : undefined
  if (linkSignIn?.state === "unconfirmed") {
    return <LinkConfirmation onConfirm={() => signInWithLink(linkSignIn.link)} onDiscard={discard} />
  }
  if (linkSignIn?.state === "running") {
    return (
      <div className={styles["card"]} aria-busy>
        <h1>{texts.signing}</h1>
        <Skeleton lines={2} />
      </div>
    )
  }
  return (
    <div className={styles["card"]}>
      <h1>{texts.title}</h1>
      {credentials.kind === "nothing" && credentials.isSessionLost && linkSignIn === null && rejection === undefined &&
        <p className="tape medium" role="status">{texts.lost}</p>}
      {linkSignIn !== null && (
        <div role="alert" className={styles["refused"]}>
          <h2>{linkSignIn.state === "refused" ? texts.linkRejected : texts.failed}</h2>
          {linkSignIn.message !== "" && <p>{linkSignIn.message}</p>}
        </div>
      )}
      {dropsSessionCookie(location) && (
        <Callout icon={ShieldX} title={texts.plainHttp}>{texts.plainHttpDetail(localAddress(location))}</Callout>
      )}
      {rejection !== undefined && (
        <div role="alert" className={styles["refused"]}>
          <h2>{texts.failed}</h2>
          <p>{rejectionMessages[rejection]}</p>
        </div>
      )}
      <SignInOptions />
      <p className="soft">{texts.byLinkHow}</p>
      <Code label={texts.command} text="npm run tapeline -- accounts link 1" />
      <h2 className={styles["or"]}>{texts.orKey}</h2>
      <KeyForm />
    </div>
  )
}
