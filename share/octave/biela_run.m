function r = biela_run (model, varargin)
% r = biela_run (model, option, value, ...): runs a model by the command `biela run` and reads its table (biela_read), for Octave and MATLAB.
%
%   r = biela_run ('four_bar.yaml', 'until', 5, 'tolerance', 1e-9, 'set', struct ('crank', 0.25));
%   plot (r.t, r.get ('A.angle'))
%
% Options are those of the command (docs/COMMANDS.md), with _ for -; 'set' takes a struct of parameters. The environment variable
% BIELA_COMMAND names the program, else it is `biela`.
  program = getenv ('BIELA_COMMAND');
  if isempty (program)
    program = 'biela';
  end
  folder = tempname ();
  mkdir (folder);
  table = fullfile (folder, 'run.csv');
  line = [quoted(program) ' run ' quoted(model) ' -q -o ' quoted(fullfile (folder, 'run.h5')) ' --csv ' quoted(table)];
  for k = 1:2:numel (varargin) - 1
    name = varargin{k};
    value = varargin{k + 1};
    if isstruct (value)
      keys = fieldnames (value);
      for i = 1:numel (keys)
        line = [line ' --' name ' ' quoted(sprintf ('%s=%.17g', keys{i}, value.(keys{i})))];
      end
    elseif ischar (value)
      line = [line ' --' strrep(name, '_', '-') ' ' quoted(value)];
    else
      line = [line ' --' strrep(name, '_', '-') ' ' strjoin(arrayfun (@(x) sprintf ('%.17g', x), value(:)', 'UniformOutput', false), ',')];
    end
  end
  [status, printed] = system ([line ' 2>&1']);
  if status == 0
    r = biela_read (table);
  end
  delete (fullfile (folder, '*'));
  rmdir (folder);
  if status ~= 0
    error ('biela_run: %s', strtrim (printed));
  end
end

function text = quoted (text)
  text = ['''' strrep(text, '''', '''\''''') ''''];
end
