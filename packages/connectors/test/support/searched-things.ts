import { entity, field } from '../../src/vocabulary/index.ts';

/** A searchable entity with fields of every searchable type. */
export const searchedThings = entity({
  name: 'things',
  doc: 'Things.',
  reference: 'https://example.com/things',
  record: {
    id: field.string('Id.', { always: true }),
    name: field.string('Name.'),
    note: field.string('Note.'),
    size: field.integer('Size.'),
    weight: field.number('Weight.'),
    is_open: field.boolean('Is open.'),
    is_red: field.boolean('Is red.'),
    profile: field.freeForm('Profile.'),
    address: field.object('Address.'),
    tags: field.array('Tags.'),
    parts: field.items('Parts.', { name: field.string('Name.') }),
  },
  actions: {},
  search: {
    fields: [
      'id',
      'name',
      'note',
      'size',
      'weight',
      'is_open',
      'is_red',
      'profile',
      'address',
      'tags',
      'parts',
      'rank',
    ],
    only: { rank: field.integer('Rank.') },
    sortable: ['id', 'name', 'size'],
    text: ['name', 'profile', 'tags'],
  },
});
