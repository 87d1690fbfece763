import { useAccess } from "../../access/Access.tsx"
import { Button } from "../../widgets/Button.tsx"
import { useWords } from "../../words/words.ts"
import { arrive } from "./arrive.ts"
import styles from "./SignInPage.module.css"
import { signInWords } from "./words.ts"

/** Asks whether to use the link in the address, and names the account whose session would end. */
export const LinkQuestion = ({ forget, sign }: { readonly sign: () => void; readonly forget: () => void }) => {
  const says = useWords(signInWords)
  const { who } = useAccess()
  const name = who.by === "session" ? who.account.name : undefined
  const stay = () => {
    forget()
    arrive()
  }
  return (
    <div className={styles["card"]}>
      <h1>{says.asked}</h1>
      {name !== undefined && <p>{says.askedAs(name)}</p>}
      <p>{says.askedMore}</p>
      <div className={styles["ways"]}>
        <Button look="primary" onPress={sign}>{name === undefined ? says.signIn : says.signInAnew}</Button>
        {name === undefined
          ? <Button onPress={forget}>{says.other}</Button>
          : <Button onPress={stay}>{says.stay(name)}</Button>}
      </div>
    </div>
  )
}
