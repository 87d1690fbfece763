import { usePriced } from "../../asking/usePriced.ts"
import { Button } from "../../widgets/Button.tsx"
import { Dialog, DialogActions } from "../../widgets/Dialog.tsx"
import { TroubleNote } from "../../widgets/states.tsx"
import { toast } from "../../widgets/toasts.tsx"
import { useWords } from "../../words/words.ts"
import type { Position } from "./asks.ts"
import { formWords } from "./formWords.ts"
import styles from "./Journal.module.css"
import { useDelete } from "./useJournal.ts"

/** Deletes a position that was recorded by mistake, after a confirmation. */
export const DeleteDialog = ({ of: { coin, id }, onClose }: {
  readonly of: Position
  readonly onClose: () => void
}) => {
  const says = useWords(formWords)
  const priced = usePriced()
  const { isRunning, run, trouble } = useDelete(() => {
    toast(says.deleted(coin))
    onClose()
  })
  return (
    <Dialog title={says.deleteTitle(coin)} isOpen onClose={onClose}>
      <p>{says.deleteMore}</p>
      <p className={styles["soft"]}>{says.deleteInstead}</p>
      {trouble !== undefined && <TroubleNote trouble={trouble} />}
      <DialogActions>
        <Button onPress={onClose}>{says.cancel}</Button>
        <Button look="danger" isBusy={isRunning} onPress={() => run(id)}>
          {priced(says.remove, "delete_position")}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
