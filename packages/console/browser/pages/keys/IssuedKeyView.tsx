import type { IssuedKey } from "@tapeline/client"
import { useEffect } from "react"
import { useAccess } from "../../access/Access.tsx"
import { useTexts } from "../../i18n/texts.ts"
import { Button } from "../../widgets/Button.tsx"
import { Code } from "../../widgets/Code.tsx"
import { DialogActions } from "../../widgets/Dialog.tsx"
import { keyDialogTexts } from "./dialogTexts.ts"
import { shellExample } from "./shellExample.ts"

/** The text of a new key, which is never shown again. */
export const IssuedKeyView = (
  { issuedKey, onClose }: { readonly issuedKey: IssuedKey; readonly onClose: () => void }
) => {
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
