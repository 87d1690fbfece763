import { isClientError } from "@tapeline/client"
import { ShieldX } from "lucide-react"
import { type SubmitEvent, useState } from "react"
import { useAccess } from "../../access/Access.tsx"
import { clientOf } from "../../asking/service.ts"
import { useLocation } from "../../router/location.ts"
import { Button } from "../../widgets/Button.tsx"
import { Callout } from "../../widgets/Callout.tsx"
import { Code } from "../../widgets/Code.tsx"
import { TextInput } from "../../widgets/fields.tsx"
import { Skeleton } from "../../widgets/states.tsx"
import { useLanguage } from "../../words/Languages.tsx"
import { useWords } from "../../words/words.ts"
import { arrive } from "./arrive.ts"
import { ByProviderOrLink } from "./ByProviderOrLink.tsx"
import { LinkQuestion } from "./LinkQuestion.tsx"
import { keepsNoSession, ownAddress } from "./plain.ts"
import { refusalIn, refusalWords } from "./refusals.ts"
import styles from "./SignInPage.module.css"
import { useLink } from "./useLink.ts"
import { signInWords } from "./words.ts"

const KeyForm = () => {
  const says = useWords(signInWords)
  const { language } = useLanguage()
  const { byKey } = useAccess()
  const [text, setText] = useState("")
  const [fault, setFault] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const key = text.trim()
    if (!/^tl_live_[0-9A-Za-z]+$/.test(key)) return setFault(says.keyWrong)
    setIsBusy(true)
    setFault(undefined)
    clientOf(key, language).usage({}, { timeout_ms: 10_000 }).then(
      () => {
        byKey(key)
        arrive()
      },
      (error: unknown) => {
        setIsBusy(false)
        setFault(isClientError(error) && error._tag === "InvalidKey" ? says.keyRefused : String(error))
      }
    )
  }
  return (
    <form className={styles["form"]} onSubmit={submit}>
      <TextInput
        label={says.key}
        value={text}
        onChange={setText}
        hint={says.keyHint}
        fault={fault}
        isCode
        isSecret
        placeholder="tl_live_..."
      />
      <Button type="submit" isBusy={isBusy}>{says.use}</Button>
    </form>
  )
}

/** The sign-in page: with the link in the address, or with a pasted key. */
export const SignInPage = () => {
  const says = useWords(signInWords)
  const { who } = useAccess()
  const refusals = useWords(refusalWords)
  const { query } = useLocation()
  const { forget, sign, signing } = useLink()
  const refusal = signing === null ? refusalIn(query) : undefined
  if (signing?.state === "asked") return <LinkQuestion sign={() => sign(signing.link)} forget={forget} />
  if (signing?.state === "running") {
    return (
      <div className={styles["card"]} aria-busy>
        <h1>{says.signing}</h1>
        <Skeleton lines={2} />
      </div>
    )
  }
  return (
    <div className={styles["card"]}>
      <h1>{says.title}</h1>
      {who.by === "nothing" && who.lost && signing === null && refusal === undefined && (
        <p className={styles["lost"]} role="status">{says.lost}</p>
      )}
      {signing !== null && (
        <div role="alert" className={styles["refused"]}>
          <h2>{signing.state === "refused" ? says.refused : says.failed}</h2>
          {signing.says !== "" && <p>{signing.says}</p>}
        </div>
      )}
      {keepsNoSession(location) && (
        <Callout icon={ShieldX} title={says.plainHttp}>{says.plainHttpMore(ownAddress(location))}</Callout>
      )}
      {refusal !== undefined && (
        <div role="alert" className={styles["refused"]}>
          <h2>{says.failed}</h2>
          <p>{refusals[refusal]}</p>
        </div>
      )}
      <ByProviderOrLink />
      <p className={styles["soft"]}>{says.byLinkHow}</p>
      <Code label={says.command} text="npm run tapeline -- accounts link 1" />
      <h2 className={styles["or"]}>{says.orKey}</h2>
      <KeyForm />
    </div>
  )
}
