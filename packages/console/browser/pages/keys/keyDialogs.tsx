import type { Key } from "@tapeline/client"
import { TriangleAlert } from "lucide-react"
import { useState } from "react"
import { useNow } from "../../i18n/clock.ts"
import { useLanguage } from "../../i18n/LanguageProvider.tsx"
import { useRelativeTime } from "../../i18n/relativeTime.ts"
import { useTexts } from "../../i18n/texts.ts"
import { Dialog } from "../../widgets/Dialog.tsx"
import { ConfirmDialog, FormActions, useForm } from "../../widgets/forms.tsx"
import { showToast } from "../../widgets/toasts.tsx"
import { keyDialogTexts } from "./dialogTexts.ts"
import { chosenExpiry, KeyFields, type KeySettings } from "./KeyFields.tsx"
import { KeyLimitFields } from "./KeyLimitFields.tsx"
import { KeyProblem } from "./KeyProblem.tsx"
import { useChangeKey, useRevokeKey } from "./keys.ts"
import styles from "./KeysPage.module.css"
import { isInUse } from "./keyState.ts"
import { parseLimits, toLimitDraft } from "./limitDraft.ts"
import { scopeTexts } from "./scopeTexts.ts"

interface KeyDialogProps {
  readonly apiKey: Key
  readonly onClose: () => void
}

export const ChangeKeyDialog = ({ apiKey: key, onClose }: KeyDialogProps) => {
  const texts = useTexts(keyDialogTexts)
  const [settings, setSettings] = useState<KeySettings>({ scopes: key.scopes, lifetime: "kept", day: "" })
  const [limits, setLimits] = useState(() => toLimitDraft(key))
  const { language } = useLanguage()
  const { isRunning, limit, run, problem } = useChangeKey(({ name }) => {
    showToast(texts.changed(name))
    onClose()
  })
  const { isSubmitted, submit } = useForm(() => {
    const expiry = chosenExpiry(settings)
    const chosenLimits = parseLimits(limits, language)
    if (expiry === undefined || chosenLimits === undefined) return
    run({ id: key.id, scopes: settings.scopes, expires_at: expiry.at, ...chosenLimits })
  })
  return (
    <Dialog title={texts.changeTitle(key.name)} isOpen onClose={onClose}>
      <form className="column gap-4" onSubmit={submit}>
        <KeyFields settings={settings} onChange={setSettings} mode="kept" isSubmitted={isSubmitted} />
        <KeyLimitFields draft={limits} onChange={setLimits} isSubmitted={isSubmitted} />
        <KeyProblem problem={problem} limit={limit} />
        <FormActions label={texts.save} isRunning={isRunning} onClose={onClose} />
      </form>
    </Dialog>
  )
}

export const RevokeKeyDialog = ({ apiKey: key, onClose }: KeyDialogProps) => {
  const texts = useTexts(keyDialogTexts)
  const scopeMeanings = useTexts(scopeTexts)
  const now = useNow()
  const ago = useRelativeTime()
  const revocation = useRevokeKey(() => {
    showToast(texts.revoked(key.name))
    onClose()
  })
  return (
    <ConfirmDialog
      title={texts.revokeTitle(key.name)}
      label={texts.revoke}
      action={revocation}
      onConfirm={() => revocation.run(key.id)}
      onClose={onClose}
    >
      {key.last_used_at !== null && isInUse(key, now) && (
        <p className={styles["recent"]}>
          <TriangleAlert aria-hidden />
          <span>{texts.recent(ago(key.last_used_at, now))}</span>
        </p>
      )}
      <p>{texts.stops(key.prefix)}</p>
      <div>
        <p className="soft">{texts.stopsScopes}</p>
        <ul className={styles["stops"]}>
          {key.scopes.map((scope) => (
            <li key={scope}>
              <code>{scope}</code>
              <span>{scopeMeanings[scope]}</span>
            </li>
          ))}
        </ul>
      </div>
      <p className="soft">{texts.unaffected}</p>
    </ConfirmDialog>
  )
}
