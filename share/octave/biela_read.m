function r = biela_read (file)
% r = biela_read (file): a table written by `biela run --csv` or Result.save, for Octave and MATLAB.
%
%   r.names   cell array of column names, as in docs/RESULT.md: 't', 'A.angle', 'A.angle_rate', 'C.x', ...
%   r.values  matrix, one row per output time
%   r.t       output times
%   r.get     function: r.get ('C.x') is that column
  id = fopen (file, 'r');
  if id < 0
    error ('biela_read: %s cannot be opened', file);
  end
  header = fgetl (id);
  first = fgetl (id);
  fclose (id);
  if ~ischar (header) || ~strncmp (header, 't,', 2)
    error ('biela_read: %s is not a table of biela (result files .h5: write a table by --csv as well)', file);
  end
  % names with commas or quotes are in double quotes
  parts = regexp (header, '("(?:[^"]|"")*"|[^,]*)(?:,|$)', 'tokens');
  names = cellfun (@(p) p{1}, parts, 'UniformOutput', false);
  names = names(1:numel (names) - isempty (names{end}));
  for k = 1:numel (names)
    if names{k}(1) == '"'
      names{k} = strrep (names{k}(2:end-1), '""', '"');
    end
  end
  r.names = names;
  if ischar (first)
    r.values = dlmread (file, ',', 1, 0);
  else
    r.values = zeros (0, numel (names));
  end
  r.t = r.values(:, 1);
  r.get = @(name) column (r.names, r.values, name);
end

function x = column (names, values, name)
  k = find (strcmp (names, name));
  if isempty (k)
    error ('biela_read: there is no column ''%s''', name);
  end
  x = values(:, k(1));
end
