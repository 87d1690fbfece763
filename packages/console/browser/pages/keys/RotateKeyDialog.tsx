import type { IssuedKey, Key } from "@tapeline/client"
import { useState } from "react"
import { useTexts } from "../../i18n/texts.ts"
import { Chips } from "../../widgets/Chips.tsx"
import { Dialog } from "../../widgets/Dialog.tsx"
import { FormActions, useForm } from "../../widgets/forms.tsx"
import { keyDialogTexts } from "./dialogTexts.ts"
import { IssuedKeyView } from "./IssuedKeyView.tsx"
import { KeyProblem } from "./KeyProblem.tsx"
import { useRotateKey } from "./keys.ts"
import { keyLimitTexts } from "./limitTexts.ts"

type Overlap = "0" | "3600" | "86400" | "604800" | "2592000"

const RotateForm = ({ apiKey: key, onClose, onIssued }: {
  readonly apiKey: Key
  readonly onClose: () => void
  readonly onIssued: (key: IssuedKey) => void
}) => {
  const [texts, dialogTexts] = [useTexts(keyLimitTexts), useTexts(keyDialogTexts)]
  const [overlap, setOverlap] = useState<Overlap>("86400")
  const { isRunning, limit, problem, run } = useRotateKey(onIssued)
  const { submit } = useForm(() => run({ id: key.id, overlap_seconds: Number(overlap) }))
  return (
    <form className="column gap-4" onSubmit={submit}>
      <p>{texts.rotateDetail}</p>
      <div className="column gap-1">
        <span className="medium">{texts.overlap}</span>
        <Chips<Overlap>
          label={texts.overlap}
          selected={overlap}
          onChange={setOverlap}
          options={[
            { value: "0", label: texts.now },
            { value: "3600", label: texts.hour },
            { value: "86400", label: texts.day },
            { value: "604800", label: texts.week },
            { value: "2592000", label: texts.month }
          ]}
        />
      </div>
      <KeyProblem problem={problem} limit={limit} />
      {(problem?.kind === "unreachable" || problem?.kind === "failed") && (
        <p className="soft">{dialogTexts.unknownOutcome}</p>
      )}
      <FormActions label={texts.issueSuccessor} isRunning={isRunning} onClose={onClose} />
    </form>
  )
}

/** The dialog that rotates a key and then shows the text of the successor. */
export const RotateKeyDialog = ({ apiKey: key, onClose }: { readonly apiKey: Key; readonly onClose: () => void }) => {
  const [texts, dialogTexts] = [useTexts(keyLimitTexts), useTexts(keyDialogTexts)]
  const [issuedKey, setIssuedKey] = useState<IssuedKey>()
  return (
    <Dialog
      title={issuedKey === undefined ? texts.rotateTitle(key.name) : dialogTexts.shownTitle}
      isOpen
      isPersistent={issuedKey !== undefined}
      onClose={onClose}
    >
      {issuedKey === undefined
        ? <RotateForm apiKey={key} onClose={onClose} onIssued={setIssuedKey} />
        : <IssuedKeyView issuedKey={issuedKey} onClose={onClose} />}
    </Dialog>
  )
}
