import { useTexts } from "../../i18n/texts.ts"
import { usePricedLabel } from "../../requests/catalogue.ts"
import { ConfirmDialog } from "../../widgets/forms.tsx"
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
  const deletion = useDeletePosition(() => {
    showToast(texts.deleted(coin))
    onClose()
  })
  return (
    <ConfirmDialog
      title={texts.deleteTitle(coin)}
      label={pricedLabel(texts.remove, "delete_position")}
      action={deletion}
      onConfirm={() => deletion.run(id)}
      onClose={onClose}
    >
      <p>{texts.deleteDetail}</p>
      <p className="soft small">{texts.deleteInstead}</p>
    </ConfirmDialog>
  )
}
