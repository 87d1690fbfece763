import type { IssuedKey } from "@tapeline/client"
import { type SubmitEvent, useEffect, useState } from "react"
import { useAccess } from "../../access/Access.tsx"
import { Button } from "../../widgets/Button.tsx"
import { Code } from "../../widgets/Code.tsx"
import { Dialog, DialogActions } from "../../widgets/Dialog.tsx"
import { TextInput } from "../../widgets/fields.tsx"
import lists from "../../widgets/lists.module.css"
import { useWords } from "../../words/words.ts"
import { keyDialogWords } from "./dialogWords.ts"
import { KeyFields, settled, type Terms } from "./KeyFields.tsx"
import { useIssue } from "./keys.ts"
import styles from "./KeysPage.module.css"
import { Refused } from "./Refused.tsx"
import { trialOf } from "./trial.ts"

const IssueForm = ({ onClose, onIssued }: {
  readonly onClose: () => void
  readonly onIssued: (key: IssuedKey) => void
}) => {
  const says = useWords(keyDialogWords)
  const [name, setName] = useState("")
  const [terms, setTerms] = useState<Terms>({ scopes: ["read:market"], lifetime: "90", day: "" })
  const [isTried, setIsTried] = useState(false)
  const { isRunning, limit, run, trouble } = useIssue(onIssued)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    setIsTried(true)
    const expiry = settled(terms)
    if (name.trim() === "" || expiry === undefined) return
    run({ name: name.trim(), scopes: terms.scopes, expires_at: expiry.at ?? null })
  }
  return (
    <form className={styles["form"]} onSubmit={submit}>
      <TextInput
        label={says.name}
        value={name}
        onChange={setName}
        hint={says.nameHint}
        fault={isTried && name.trim() === "" ? says.nameMissing : undefined}
        isRequired
      />
      <KeyFields terms={terms} onChange={setTerms} with="new" isTried={isTried} />
      <Refused trouble={trouble} limit={limit} />
      {(trouble?.kind === "unreachable" || trouble?.kind === "failed") && <p className={lists["soft"]}>{says.lost}</p>}
      <DialogActions>
        <Button onPress={onClose}>{says.cancel}</Button>
        <Button type="submit" look="primary" isBusy={isRunning}>{says.issue}</Button>
      </DialogActions>
    </form>
  )
}

const Shown = ({ issued, onClose }: { readonly issued: IssuedKey; readonly onClose: () => void }) => {
  const says = useWords(keyDialogWords)
  const { hold } = useAccess()
  useEffect(hold, [hold])
  return (
    <>
      <p>{says.shownMore}</p>
      <Code label={says.key} text={issued.key} />
      <h3>{says.trial}</h3>
      <Code label={says.trial} text={trialOf(issued.key, issued.scopes, location.origin)} />
      <DialogActions>
        <Button look="primary" onPress={onClose}>{says.done}</Button>
      </DialogActions>
    </>
  )
}

/** Issues a key and shows its text. The text is shown only here, until the user confirms that it is copied. */
export const IssueDialog = ({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) => {
  const says = useWords(keyDialogWords)
  const [issued, setIssued] = useState<IssuedKey>()
  const close = () => {
    setIssued(undefined)
    onClose()
  }
  return (
    <Dialog
      title={issued === undefined ? says.issueTitle : says.shownTitle}
      isOpen={isOpen}
      isKept={issued !== undefined}
      onClose={close}
    >
      {issued === undefined
        ? <IssueForm onClose={close} onIssued={setIssued} />
        : <Shown issued={issued} onClose={close} />}
    </Dialog>
  )
}
