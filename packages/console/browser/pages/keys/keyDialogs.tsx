import type { Key } from "@tapeline/client"
import { TriangleAlert } from "lucide-react"
import { type SubmitEvent, useState } from "react"
import { Button } from "../../widgets/Button.tsx"
import { Dialog, DialogActions } from "../../widgets/Dialog.tsx"
import lists from "../../widgets/lists.module.css"
import { TroubleNote } from "../../widgets/states.tsx"
import { toast } from "../../widgets/toasts.tsx"
import { useAgo } from "../../words/ago.ts"
import { useNow } from "../../words/useNow.ts"
import { useWords } from "../../words/words.ts"
import { keyDialogWords } from "./dialogWords.ts"
import { KeyFields, settled, type Terms } from "./KeyFields.tsx"
import { useChange, useRevoke } from "./keys.ts"
import styles from "./KeysPage.module.css"
import { isInUse } from "./keyState.ts"
import { Refused } from "./Refused.tsx"
import { scopeWords } from "./scopeWords.ts"

interface Of {
  readonly of: Key
  readonly onClose: () => void
}

/** Changes the scopes and lifetime of a key. */
export const ChangeDialog = ({ of: key, onClose }: Of) => {
  const says = useWords(keyDialogWords)
  const [terms, setTerms] = useState<Terms>({ scopes: key.scopes, lifetime: "kept", day: "" })
  const [isTried, setIsTried] = useState(false)
  const { isRunning, limit, run, trouble } = useChange(({ name }) => {
    toast(says.changed(name))
    onClose()
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    setIsTried(true)
    const expiry = settled(terms)
    if (expiry !== undefined) run({ id: key.id, scopes: terms.scopes, expires_at: expiry.at })
  }
  return (
    <Dialog title={says.changeTitle(key.name)} isOpen onClose={onClose}>
      <form className={styles["form"]} onSubmit={submit}>
        <KeyFields terms={terms} onChange={setTerms} with="kept" isTried={isTried} />
        <Refused trouble={trouble} limit={limit} />
        <DialogActions>
          <Button onPress={onClose}>{says.cancel}</Button>
          <Button type="submit" look="primary" isBusy={isRunning}>{says.save}</Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

/** Revokes a key, after an explanation of the consequences. */
export const RevokeDialog = ({ of: key, onClose }: Of) => {
  const says = useWords(keyDialogWords)
  const meanings = useWords(scopeWords)
  const now = useNow()
  const ago = useAgo()
  const { isRunning, run, trouble } = useRevoke(() => {
    toast(says.revoked(key.name))
    onClose()
  })
  return (
    <Dialog title={says.revokeTitle(key.name)} isOpen onClose={onClose}>
      {key.last_used_at !== null && isInUse(key, now) && (
        <p className={styles["recent"]}>
          <TriangleAlert aria-hidden />
          <span>{says.recent(ago(key.last_used_at, now))}</span>
        </p>
      )}
      <p>{says.stops(key.prefix)}</p>
      <div>
        <p className={lists["soft"]}>{says.stopsScopes}</p>
        <ul className={styles["stops"]}>
          {key.scopes.map((scope) => (
            <li key={scope}>
              <code>{scope}</code>
              <span>{meanings[scope]}</span>
            </li>
          ))}
        </ul>
      </div>
      <p className={lists["soft"]}>{says.stays}</p>
      {trouble !== undefined && <TroubleNote trouble={trouble} />}
      <DialogActions>
        <Button onPress={onClose}>{says.cancel}</Button>
        <Button look="danger" isBusy={isRunning} onPress={() => run(key.id)}>{says.revoke}</Button>
      </DialogActions>
    </Dialog>
  )
}
