import type { IssuedKey } from "@tapeline/client"
import { useState } from "react"
import { useLanguage } from "../../i18n/LanguageProvider.tsx"
import { useTexts } from "../../i18n/texts.ts"
import { Dialog } from "../../widgets/Dialog.tsx"
import { TextInput } from "../../widgets/fields.tsx"
import { FormActions, useForm } from "../../widgets/forms.tsx"
import { keyDialogTexts } from "./dialogTexts.ts"
import { IssuedKeyView } from "./IssuedKeyView.tsx"
import { chosenExpiry, KeyFields, type KeySettings } from "./KeyFields.tsx"
import { KeyLimitFields } from "./KeyLimitFields.tsx"
import { KeyProblem } from "./KeyProblem.tsx"
import { useIssueKey } from "./keys.ts"
import { emptyLimits, parseLimits } from "./limitDraft.ts"

const IssueForm = ({ onClose, onIssued }: {
  readonly onClose: () => void
  readonly onIssued: (key: IssuedKey) => void
}) => {
  const texts = useTexts(keyDialogTexts)
  const [name, setName] = useState("")
  const [settings, setSettings] = useState<KeySettings>({ scopes: ["read:market"], lifetime: "90", day: "" })
  const [limits, setLimits] = useState(emptyLimits)
  const { language } = useLanguage()
  const { isRunning, limit, run, problem } = useIssueKey(onIssued)
  const { isSubmitted, submit } = useForm(() => {
    const expiry = chosenExpiry(settings)
    const chosenLimits = parseLimits(limits, language)
    if (name.trim() === "" || expiry === undefined || chosenLimits === undefined) return
    run({ name: name.trim(), scopes: settings.scopes, expires_at: expiry.at ?? null, ...chosenLimits })
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
      <KeyLimitFields draft={limits} onChange={setLimits} isSubmitted={isSubmitted} />
      <KeyProblem problem={problem} limit={limit} />
      {(problem?.kind === "unreachable" || problem?.kind === "failed") && <p className="soft">{texts.unknownOutcome}
      </p>}
      <FormActions label={texts.issue} isRunning={isRunning} onClose={onClose} />
    </form>
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
