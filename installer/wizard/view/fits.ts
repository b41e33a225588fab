/** How large a terminal must be. */

export const MIN_COLUMNS = 80;
export const MIN_ROWS = 24;

/** False: the screens are not shown there, and no key may act on what its operator cannot see. */
export const fits = (size: { readonly columns: number; readonly rows: number }): boolean =>
  size.columns >= MIN_COLUMNS && size.rows >= MIN_ROWS;
