import { useTexts } from "../../i18n/texts.ts"
import { usePricedLabel } from "../../requests/catalogue.ts"
import { Button } from "../../widgets/Button.tsx"
import { Dialog, DialogActions } from "../../widgets/Dialog.tsx"
import { ProblemNote } from "../../widgets/states.tsx"
import { showToast } from "../../widgets/toasts.tsx"
import { positionFormTexts } from "./positionFormTexts.ts"
import type { Position } from "./queries.ts"
import { useDeletePosition } from "./useJournal.ts"

export const DeleteDialog = ({ position: { coin, id }, onClose }: {
  readonly position: Position
  readonly onClose: () => void
}) => {
  const texts = useTexts(positionFormTexts)
  const pricedLabel = usePricedLabel()
  const { isRunning, run, problem } = useDeletePosition(() => {
    showToast(texts.deleted(coin))
    onClose()
  })
  return (
    <Dialog title={texts.deleteTitle(coin)} isOpen onClose={onClose}>
      <p>{texts.deleteDetail}</p>
      <p className="soft small">{texts.deleteInstead}</p>
      {problem !== undefined && <ProblemNote problem={problem} />}
      <DialogActions>
        <Button onPress={onClose}>{texts.cancel}</Button>
        <Button variant="danger" isBusy={isRunning} onPress={() => run(id)}>
          {pricedLabel(texts.remove, "delete_position")}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
