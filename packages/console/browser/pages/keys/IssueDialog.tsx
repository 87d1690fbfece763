import type { IssuedKey } from "@tapeline/client"
import { useEffect, useState } from "react"
import { useAccess } from "../../access/Access.tsx"
import { useTexts } from "../../i18n/texts.ts"
import { Button } from "../../widgets/Button.tsx"
import { Code } from "../../widgets/Code.tsx"
import { Dialog, DialogActions } from "../../widgets/Dialog.tsx"
import { TextInput } from "../../widgets/fields.tsx"
import { FormActions, useForm } from "../../widgets/forms.tsx"
import { keyDialogTexts } from "./dialogTexts.ts"
import { chosenExpiry, KeyFields, type KeySettings } from "./KeyFields.tsx"
import { KeyProblem } from "./KeyProblem.tsx"
import { useIssueKey } from "./keys.ts"
import { shellExample } from "./shellExample.ts"

const IssueForm = ({ onClose, onIssued }: {
  readonly onClose: () => void
  readonly onIssued: (key: IssuedKey) => void
}) => {
  const texts = useTexts(keyDialogTexts)
  const [name, setName] = useState("")
  const [settings, setSettings] = useState<KeySettings>({ scopes: ["read:market"], lifetime: "90", day: "" })
  const { isRunning, limit, run, problem } = useIssueKey(onIssued)
  const { isSubmitted, submit } = useForm(() => {
    const expiry = chosenExpiry(settings)
    if (name.trim() === "" || expiry === undefined) return
    run({ name: name.trim(), scopes: settings.scopes, expires_at: expiry.at ?? null })
  })
  return (
    <form className="column gap-4" onSubmit={submit}>
      <TextInput
        label={texts.name}
        value={name}
        onChange={setName}
        hint={texts.nameHint}
        fault={isSubmitted && name.trim() === "" ? texts.nameMissing : undefined}
        isRequired
      />
      <KeyFields settings={settings} onChange={setSettings} mode="new" isSubmitted={isSubmitted} />
      <KeyProblem problem={problem} limit={limit} />
      {(problem?.kind === "unreachable" || problem?.kind === "failed") && <p className="soft">{texts.unknownOutcome}
      </p>}
      <FormActions label={texts.issue} isRunning={isRunning} onClose={onClose} />
    </form>
  )
}

const IssuedKeyView = ({ issuedKey, onClose }: { readonly issuedKey: IssuedKey; readonly onClose: () => void }) => {
  const texts = useTexts(keyDialogTexts)
  const { holdOpen } = useAccess()
  useEffect(holdOpen, [holdOpen])
  return (
    <>
      <p>{texts.shownDetail}</p>
      <Code label={texts.key} text={issuedKey.key} />
      <h3>{texts.shellExample}</h3>
      <Code label={texts.shellExample} text={shellExample(issuedKey.key, issuedKey.scopes, location.origin)} />
      <DialogActions>
        <Button variant="primary" onPress={onClose}>{texts.done}</Button>
      </DialogActions>
    </>
  )
}

/** The dialog that issues a key and then shows the text of the key. The key's text is never shown again. */
export const IssueDialog = ({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) => {
  const texts = useTexts(keyDialogTexts)
  const [issuedKey, setIssuedKey] = useState<IssuedKey>()
  const close = () => {
    setIssuedKey(undefined)
    onClose()
  }
  return (
    <Dialog
      title={issuedKey === undefined ? texts.issueTitle : texts.shownTitle}
      isOpen={isOpen}
      isPersistent={issuedKey !== undefined}
      onClose={close}
    >
      {issuedKey === undefined
        ? <IssueForm onClose={close} onIssued={setIssuedKey} />
        : <IssuedKeyView issuedKey={issuedKey} onClose={close} />}
    </Dialog>
  )
}
