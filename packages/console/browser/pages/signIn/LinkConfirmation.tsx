import { useAccess } from "../../access/Access.tsx"
import { useTexts } from "../../i18n/texts.ts"
import { Button } from "../../widgets/Button.tsx"
import { openHomePage } from "../openHomePage.ts"
import { signInPath } from "./link.ts"
import styles from "./SignInPage.module.css"
import { signInTexts } from "./texts.ts"

/** Asks whether to sign in with the link in the URL, and names the account whose session would end. */
export const LinkConfirmation = (
  { onDiscard, onConfirm }: { readonly onConfirm: () => void; readonly onDiscard: () => void }
) => {
  const texts = useTexts(signInTexts)
  const { credentials } = useAccess()
  const name = credentials.kind === "session" ? credentials.account.name : undefined
  const staySignedIn = () => {
    onDiscard()
    openHomePage(signInPath)
  }
  return (
    <div className={styles["card"]}>
      <h1>{texts.confirmLink}</h1>
      {name !== undefined && <p>{texts.confirmLinkAs(name)}</p>}
      <p>{texts.confirmLinkDetail}</p>
      <div className="row wrap gap-3">
        <Button variant="primary" onPress={onConfirm}>{name === undefined ? texts.signIn : texts.signInAgain}</Button>
        {name === undefined
          ? <Button onPress={onDiscard}>{texts.other}</Button>
          : <Button onPress={staySignedIn}>{texts.staySignedIn(name)}</Button>}
      </div>
    </div>
  )
}
