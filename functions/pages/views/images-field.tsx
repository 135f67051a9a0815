import type { Texts } from '../texts/en.ts'

/** The images of a ticket. The field has the API's name for them. */
export function ImagesField({ texts }: { texts: Texts }) {
  return (
    <>
      <label>
        {texts.images}
        <input
          type="file"
          name="files"
          multiple
          accept="image/jpeg,image/png,image/webp"
          aria-describedby="images-hint"
        />
      </label>
      <p class="hint" id="images-hint">
        {texts.imagesHint}
      </p>
    </>
  )
}
